export const ACCOUNT_REFUSED = 'The access token may not read the business account, which others may, since'
export const NOT_SHARED = 'Until it may again, or another token is set, templates are neither shown nor checked, and cost the rate of their general category.'

/** Texts of every page: the frame, the names of the sections, and what is said when something fails. */
export const sharedTexts = {
  layout: {
    product: 'Postern',
    skip: 'Skip to the content',
    console: 'Console',
    workspaces: 'Workspaces',
    health: 'Health',
    members: 'Members',
    audit: 'Audit log',
    menu: 'Menu',
    switch: 'Switch workspace',
    signOut: 'Sign out',
    operator: 'Operator',
    groups: { activity: 'Activity', send: 'Send', money: 'Money', developers: 'Developers', workspace: 'Workspace', all: 'All workspaces' },
    ofWorkspace: (name: string) => `Workspace ${name}`,
  },

  parts: {
    utc: (time: string) => `${time} UTC`,
    copy: (id: string) => `Copy ${id}`,
    ofMost: '# of ## characters',
    copied: 'Copied',
    now: 'just now',
    minutes: '# min ago',
    hours: '# h ago',
    /** A name of a thing amid a sentence. */
    amid: (name: string) => name.toLowerCase(),
    /** Why something was refused, as the core says it. */
    reason: (sentence: string) => sentence,
  },

  /** The core's own words, by what they are words for. */
  words: {
    states: {
      pending: 'pending', unconfirmed: 'unconfirmed', refused: 'refused', released: 'released', accepted: 'accepted', sent: 'sent', failed: 'failed', delivered: 'delivered', read: 'read',
      played: 'played',
    },
    roles: { owner: 'owner', developer: 'developer', viewer: 'viewer' },
    statuses: {
      approved: 'approved', pending: 'pending', rejected: 'rejected', paused: 'paused', disabled: 'disabled', in_appeal: 'in appeal', limit_exceeded: 'limit exceeded',
    },
    categories: {
      service: 'service', marketing: 'marketing', marketing_lite: 'marketing lite', utility: 'utility', authentication: 'authentication',
      authentication_international: 'authentication international',
    },
    qualities: { green: 'green', yellow: 'yellow', red: 'red', unknown: 'unknown' },
    actors: { key: 'key', command_line: 'command line', system: 'system', unknown: 'unknown' },
  },

  sections: {
    overview: 'Overview',
    messages: 'Messages',
    customers: 'Customers',
    send: 'New message',
    templates: 'Templates',
    wallet: 'Wallet',
    spend: 'Spend',
    keys: 'Keys',
    endpoints: 'Endpoints',
    requests: 'Requests',
    reference: 'API reference',
    sender: 'Sender',
    settings: 'Settings',
    members: 'Members',
    audit: 'Audit log',
  },

  failure: {
    back: 'Go to the console.',
    notFound: 'Not found',
    notFoundText: 'There is no such page.',
    forbidden: 'Not allowed',
    archivedText: 'This workspace is archived, so it can only be read.',
    forbiddenText: (act: string) => `Your role does not allow this (${act}). An owner of the workspace or an operator can change your role.`,
    signedOut: 'You are signed out',
    signedOutText: 'Your session has ended, so nothing was done. Sign in, and do it again.',
    written: 'What you wrote:',
    linkUnusable: 'This link does not work',
    linkUnusableText: 'It was used, has expired, or is not complete. Ask for another one.',
    goToSignIn: 'Go to the sign-in.',
    unknownAddress: 'The address is not known',
    unknownAddressText: 'The gateway does not know the address at which browsers reach it, and takes no stranger’s word for it. Set PUBLIC_URL to that address, and start the gateway again.',
    foreignForm: 'Not sent from here',
    foreignFormText: 'The form was not sent by a page of this console, so nothing was done. Open the console and try again.',
    tooLarge: 'Too large',
    tooLargeText: 'The form is too large.',
    tooSlow: 'Too slow',
    tooSlowText: 'The form did not arrive in time, so nothing was done. Try again.',
    tooManyRequests: 'Too many requests',
    tooManyRequestsText: 'You, or others in your network, have opened too much at once. Wait until some of it has ended, and try again.',
    overloaded: 'Too busy',
    crowdedText: 'Too much is being opened at the moment. Try again in a few seconds.',
    overloadedText: 'Too many forms are being sent at the moment, so nothing was done. Try again in a few seconds.',
    malformed: 'Not understood',
    malformedText: 'The form is not complete.',
    methodNotAllowed: 'Not possible here',
    methodNotAllowedText: 'This page takes no such request.',
    tooMany: 'Too many attempts',
    tooManyText: 'There were too many attempts to sign in. Try again after',
    unavailable: 'Not available',
    unavailableText: 'Postern cannot do this at the moment. Try again in a minute.',
    defect: 'Something went wrong',
    defectText: 'The operator can see in the log what happened.',
  },
} as const

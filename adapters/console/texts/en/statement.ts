import { countingIn } from '../translating.js'

const counted = countingIn('en-US')

/** Texts of the statement of a wallet. */
export const statementTexts = {
  statement: {
    when: 'When (UTC)',
    what: 'What',
    balance: 'Balance',
    opening: 'Opening balance',
    closing: 'Closing balance',
    now: 'Balance now',
    openingOn: (day: string) => `Opening balance, ${day}`,
    closingOn: (day: string) => `Closing balance, ${day}`,
    added: 'Added',
    adjusted: 'Adjusted',
    spent: 'Spent, less refunds',
    topUp: (reference: string) => `Top-up, ${reference}`,
    adjustment: (note: string) => `Adjustment: ${note}`,
    sent: (what: string, to: string) => `${what} to ${to}`,
    someone: 'a customer who is no longer known',
    message: 'Message',
    refund: (to: string, why: string | undefined) => (why === undefined ? `Refund: ${to}` : `Refund: ${to}, ${why}`),
    notOnWhatsApp: (to: string) => `Refund: ${to} is not on WhatsApp`,
    messages: (count: number) => counted(count, { one: '# message', other: '# messages' }),
    topUps: (count: number) => counted(count, { one: '# top-up', other: '# top-ups' }),
    adjustments: (count: number) => counted(count, { one: '# adjustment', other: '# adjustments' }),
    refunds: (count: number) => counted(count, { one: '# refund', other: '# refunds' }),
    all: (count: number) => counted(count, { one: 'Show it on its own', other: 'All # movements' }),
    issued: (name: string, issuer: string) => `${name} · issued by ${issuer}`,
    onHold: (amount: string) => `${amount} of the balance is on hold`,
    hidden: (count: number, zero: string) =>
      counted(count, { one: `# row of ${zero} is hidden.`, other: `# rows of ${zero} are hidden.` }),
    shown: (count: number, zero: string) =>
      counted(count, { one: `# row of ${zero} is shown.`, other: `# rows of ${zero} are shown.` }),
    showFree: 'Show them',
    hideFree: 'Hide them',
    print: 'Print statement',
    earlier: 'Previous month',
    later: 'Next month',
    none: 'The balance did not change.',
    more: 'Later movements',
    ofDay: (day: string) => `Statement, ${day}`,
  },
} as const

import { ACCOUNT_REFUSED, NOT_SHARED } from './shared.js'

/** Texts of the overview. */
export const overviewTexts = {
  overview: {
    range: 'Range',
    ranges: { '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    messagesByState: 'Messages by state',
    chart: (range: string) => `Messages by state, ${range}, by when they were sent`,
    groups: { read: 'Read', delivered: 'Delivered', sent: 'On the way', open: 'Outcome unknown', failed: 'Not delivered' },
    asTable: 'The same figures as a table',
    beginning: 'From (UTC)',
    all: 'All',
    none: 'No message was sent in this time.',
    messages: 'Messages',
    spend: 'Spend',
    delivered: 'Delivered',
    read: 'Read',
    ofAccepted: 'of those that the platform accepted',
    balance: 'Balance',
    held: (amount: string) => `and ${amount} held for messages under way`,
    lasts: 'The balance lasts',
    atWeek: (duration: string) => `at the spend of the last 24 hours; of the last 7 days: ${duration}`,
    openWindows: 'Open windows',
    mayGetText: 'customers who may get a text now',
    moreThan: (count: string) => `More than ${count}`,
    nothing: '–',
    duration: (ms: number) => {
      const hours = ms / 3_600_000
      if (hours < 1) return ms === 0 ? 'not any more' : 'less than an hour'
      if (hours < 48) return `${Math.floor(hours)} hours`
      return hours < 24 * 730 ? `${Math.floor(hours / 24).toLocaleString('en-US')} days` : 'more than two years'
    },
    howCounted: 'A message counts when it was sent, in the state that it is in now. A state that is reported long after the sending is shown later.',
    pastMissing: 'Older messages are still being counted.',
    attention: 'Needs attention',
    nothingWrong: 'Nothing needs attention.',
    noSender: 'This workspace has no sender, so it can send nothing.',
    senderFailing: 'The platform has refused the access token since',
    accountRefused: ACCOUNT_REFUSED,
    notShared: NOT_SHARED,
    endpointFailing: (url: string) => `${url} has taken no event since`,
    endpointDisabled: (url: string) => `${url} is disabled and gets no events.`,
    walletExhausted: 'The balance could not cover a message, at',
    walletLow: (threshold: string) => `The balance is low: less than ${threshold} since`,
    templatesStopped: 'The platform does not send these any more:',
    andMore: (count: number) => ` and ${count} more`,
  },
} as const

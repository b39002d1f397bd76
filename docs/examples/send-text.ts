import { makeSending, phoneNumberOf, type SendTextError } from 'postern'
import { openSandbox } from 'postern/memory'

const to = phoneNumberOf('+33 6 39 98 00 01')
const sandbox = await openSandbox({ customers: [to] })
const reply = await makeSending(sandbox, sandbox).sendText({ workspace: sandbox.workspace, to, text: 'Hello' })
console.log(reply._tag === 'Right' ? `sent as ${reply.right.platformId}` : adviceOn(reply.left))

function adviceOn(failure: SendTextError): string {
  switch (failure._tag) {
    case 'WindowClosed': return 'The customer has not written within 24 hours: send a template.'
    case 'InsufficientBalance': return `Top up ${failure.required - failure.available} micros.`
    case 'CustomerOptedOut': case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': return JSON.stringify(failure)
    case 'PlatformUnreachable': case 'PortFailure': case 'SenderNotConfigured': case 'UnknownSender': case 'SpendingLimitReached': case 'PairLimitReached': case 'SenderLimitReached': case 'PortfolioLimitReached': return 'Nothing was sent: try again later.'
    case 'OutcomeUnknown': case 'IdempotencyInProgress': case 'IdempotencyKeyReused': return 'See what happened to the first one.'
  }
}

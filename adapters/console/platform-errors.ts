/** What an error of the platform means, and what to do. */
export type ErrorMeaning = { readonly means: string; readonly todo: string }

type Row = readonly [codes: ReadonlyArray<number>, means: string, todo: string]

const LATER = 'Send it again later. Nothing has to be changed.'
const OPERATOR = 'An operator has to look at the sender: open the page of the sender, or the business account at the platform.'
const TEMPLATE = 'Compare what was sent with the template’s placeholders, and send it again.'

/**
 * The platform's error codes in plain words, from its error reference: https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes (read in
 * September 2026). A code that is not here is shown as it came.
 */
const ROWS: ReadonlyArray<Row> = [
  [[0, 190], 'The access token of the sender has expired or was revoked.', 'Store a new access token for the sender.'],
  [[3, 10, 131005], 'The access token lacks a permission.', 'Give the token the permission to send messages, or store another one.'],
  [[1, 2, 131000, 131016, 133004], 'The platform had a fault of its own.', LATER],
  [[4, 613, 80007, 130429], 'Too many messages were sent in a short time.', 'Send fewer messages at once. Postern spreads its own calls; other programs may use the same account.'],
  [[33], 'The number of the sender does not exist at the platform any more.', OPERATOR],
  [[100, 131009], 'The platform did not accept a value of the message.', 'Read what the platform says below, correct the message, and send it again.'],
  [[368, 131031], 'The platform has locked the business account.', OPERATOR],
  [[130403], 'The business has blocked this customer.', 'Unblock the customer at the platform, if that was a mistake.'],
  [[130472], 'The platform withholds marketing messages from this customer as part of an experiment.', 'Do not repeat it. Write when the customer has written to you.'],
  [[130497], 'The business account may not write to customers in this country.', 'Do not repeat it. The platform decides which countries an account may write to.'],
  [[131008], 'A part of the message is missing.', 'Complete the message, and send it again.'],
  [[131021], 'The message was addressed to the sender itself.', 'Send it to another number.'],
  [[131026], 'The message could not be delivered: the number may not use the network, the customer’s app may be too old, or the terms were not accepted.',
    'Check the number. Ask the customer in another way to update the app or to write to you.'],
  [[131030], 'The sender is a test number, and this customer is not in its list.', 'Add the number to the list of the test number at the platform, or use a real sender.'],
  [[131037], 'The display name of the sender is not approved.', OPERATOR],
  [[131042], 'The business account cannot pay: its payment method is missing, refused or at its limit.', 'Mend the payment method at the platform, and send it again.'],
  [[131045, 133000, 133005, 133006, 133008, 133009, 133010], 'The number of the sender is not registered at the platform.', OPERATOR],
  [[131047], 'The customer service window was closed: more than 24 hours have passed since the customer last wrote.', 'Send an approved template instead.'],
  [[131048], 'Customers blocked or reported the sender, so the platform restricts it.', 'Stop sending what customers do not want. The restriction ends after some time.'],
  [[131049], 'The platform withheld the message, because this customer got enough marketing messages.', 'Do not repeat it within 24 hours.'],
  [[131050], 'The customer has stopped marketing messages of this business.', 'Do not send marketing messages to this customer.'],
  [[131051], 'The platform does not support this kind of message.', 'Send another kind of message.'],
  [[131052, 131053], 'A media file could not be read.', 'Check the file and its address, and send it again.'],
  [[131056], 'Too many messages were sent to this customer in a short time.', LATER],
  [[131057], 'The sender’s account is under maintenance at the platform.', LATER],
  [[131062], 'The platform takes this message for a phone number only, not for a user id.', 'Send it to the customer’s phone number.'],
  [[131063], 'Marketing messages are switched off for this account.', OPERATOR],
  [[131064], 'Too many templates of this account were in a wrong category, so the platform restricts it.', OPERATOR],
  [[132000], 'The message does not have as many parameters as the template has placeholders.', TEMPLATE],
  [[132001], 'There is no approved template of this name in this language.', 'Check the name and the language on the page of templates, or wait until the template is approved.'],
  [[132005], 'The text of the template is too long with these parameters.', 'Send it with shorter parameters.'],
  [[132007], 'The template breaks a rule of the platform.', 'Change the template at the platform.'],
  [[132008, 132012, 132018], 'A parameter does not have the form that the template asks for.', TEMPLATE],
  [[132015], 'The platform has paused the template, because customers reported or blocked it.', 'Wait until it is active again, or improve it at the platform.'],
  [[132016], 'The platform has disabled the template for good.', 'Make another template.'],
  [[132068], 'The flow of the template is blocked.', 'Mend the flow at the platform.'],
  [[132069], 'The flow of the template was sent too often.', LATER],
  [[133015, 133016], 'The number of the sender was registered or removed a short time ago.', 'Wait some minutes, and send it again.'],
  [[134100, 134101, 134102], 'The account is not ready for this kind of marketing message.', OPERATOR],
]

const MEANINGS: ReadonlyMap<number, ErrorMeaning> = new Map(ROWS.flatMap(([codes, means, todo]) => codes.map((code) => [code, { means, todo }] as const)))

/** What an error code of the platform means; none where it is not known. */
export const meaningOf = (code: number | undefined): ErrorMeaning | undefined => (code === undefined ? undefined : MEANINGS.get(code))

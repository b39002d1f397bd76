/** The text of a notification of some entries, each with its changes. */
export const notificationOf = (...entries: ReadonlyArray<ReadonlyArray<unknown>>): string =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: entries.map((changes, place) => ({ id: String(place), changes })) })

/** A change of `messages` that came through a number, with what else it says. */
export const changeOf = (phoneNumberId: unknown, value: object): object =>
  ({
    field: 'messages',
    value: { messaging_product: 'whatsapp', metadata: { display_phone_number: '15550109999', phone_number_id: phoneNumberId }, ...value },
  })

/** A text a customer wrote just now, with fields laid over it. */
export const inboundOf = (from: unknown, fields: object = {}): object =>
  ({ from, id: `wamid.in${String(from)}`, timestamp: seconds(Date.now()), type: 'text', text: { body: 'Hello' }, ...fields })

/** A status of just now, with fields laid over it. */
export const statusOf = (callback: string | null | undefined, status: string, fields: object = {}): object =>
  ({
    id: `wamid.${callback ?? 'unknown'}`, status, timestamp: seconds(Date.now()), recipient_id: '493012345678',
    biz_opaque_callback_data: callback, ...fields,
  })

const seconds = (at: number): string => String(Math.floor(at / 1_000))

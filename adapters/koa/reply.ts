import type { Context } from 'koa'

/** What goes back to the caller: a status, the bytes of the body, and the headers that are this reply's own. */
export type Reply = {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** A reply that carries a value as JSON. */
export const jsonReply = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status, body: JSON.stringify(value), headers: { 'Content-Type': JSON_TYPE, ...headers },
})

/** A reply that carries plain text. */
export const textReply = (status: number, body: string): Reply => ({
  status, body, headers: { 'Content-Type': 'text/plain; charset=utf-8' },
})

/** Puts a reply into Koa's hands. */
export const writeReply = (ctx: Context, { status, body, headers }: Reply): void => {
  ctx.status = status
  ctx.set(headers)
  ctx.body = body
}

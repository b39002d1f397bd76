import assert from 'node:assert/strict'

/** Searches everything that is reachable from a value, including errors and their hidden properties, as a logger might. */
export const assertHidden = (secret: string, value: unknown, seen: Set<unknown> = new Set()): void => {
  if (typeof value === 'string') assert.ok(!value.includes(secret), 'an answer quotes the access token')
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const key of Reflect.ownKeys(value)) assertHidden(secret, Reflect.get(value, key), seen)
}

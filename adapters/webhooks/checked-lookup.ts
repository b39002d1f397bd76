import { isIPv6, type LookupFunction } from 'node:net'
import type { AddressGuard, Scheme } from './address-guard.js'
import { forbiddenAddress, httpsRequired, FailedCall } from './failed-call.js'
import type { Resolve } from './resolve.js'

/** What a checked look-up needs. */
export type CheckedLookupDeps = { readonly guard: AddressGuard; readonly resolve: Resolve; readonly timeoutMs: number }

/**
 * Makes the look-up that a socket uses: it hands over only addresses that were checked, so no other answer of the name server can come in between.
 *
 * A host with even one forbidden address is refused. A public server has none, and so it does not depend on the order of the answers, or on
 * which address happens to accept a connection, what comes of an attempt.
 */
export const makeCheckedLookup = ({ guard, resolve, timeoutMs }: CheckedLookupDeps, scheme: Scheme): LookupFunction => {
  const addressesOf = async (hostname: string): Promise<ReadonlyArray<string>> => {
    const addresses = await withDeadline(timeoutMs, (signal) => resolve(hostname, signal))
    if (addresses.length === 0) throw new FailedCall('The host was not found')
    for (const address of addresses) assertMayDial(guard, address, scheme)
    return addresses
  }
  return (hostname, options, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const [first = { address: '', family: 0 }] = found
        if (options.all === true) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('The look-up failed', { cause: error }), ''),
    )
  }
}

/** Throws a `FailedCall` where an address may not be dialled. */
export const assertMayDial = (guard: AddressGuard, address: string, scheme: Scheme): void => {
  if (guard.mayDial(address, scheme)) return
  throw scheme === 'http:' && guard.mayDial(address, 'https:') ? httpsRequired() : forbiddenAddress()
}

const withDeadline = async <Result>(timeoutMs: number, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FailedCall('The name server of the host did not answer in time')), timeoutMs)
  })
  try {
    return await Promise.race([task(controller.signal), over])
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}

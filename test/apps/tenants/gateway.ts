import { createServer } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { type ConsoleLimits, makeConsole } from '../../../adapters/console/index.js'
import type { KnexStorage } from '../../../adapters/knex/index.js'
import { readConfig } from '../../../apps/server/config.js'
import { withConsole } from '../../../apps/server/console.js'
import {
  CONSOLE_DEPS, EVENT_DELIVERY, HTTP_APP, makeContainer, resolveRoots, RETRIES, STORAGE, TRANSPORT,
} from '../../../apps/server/container.js'
import { makeLog } from '../../../apps/server/log.js'
import { loadRateCards } from '../../../apps/server/rate-card.js'
import { listening } from '../../support/listening.js'
import type { Env } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'

/** The API and the console of a gateway, with the delivery of its events. */
export type ReadGateway = { readonly url: string; readonly storage: KnexStorage; readonly stop: () => Promise<void> }

/** A test reads in seconds what people read in hours. */
const NO_LIMITS: ConsoleLimits = {
  admit: () => E.right({ waitMs: 0, leave: () => undefined }), enterSignIn: async () => E.right(undefined),
  enter: () => E.right({ waitMs: 0, leave: () => undefined }),
}

/** As the gateway's own server, longer than the test ever pauses: a connection that closes loses the request that is already on its way. */
const KEEP_ALIVE_MS = 75_000

/** Starts what `serve` starts for requests, on a free port, with a console that anyone may read as fast as it answers. */
export const startReadGateway = async (env: Env): Promise<ReadGateway> => {
  const config = rightOf(readConfig(env))
  const container = makeContainer(config, rightOf(await loadRateCards(config.rateCard)), makeLog('silent', { write: () => undefined }))
  resolveRoots(container)
  await container.get(TRANSPORT).opened
  const console = makeConsole({ ...container.get(CONSOLE_DEPS), limits: NO_LIMITS })
  const handle = withConsole(container.get(HTTP_APP).callback(), console.handle)
  const server = await listening(createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => void handle(request, response)))
  const delivery = container.get(EVENT_DELIVERY)
  delivery.start()
  return {
    url: server.url,
    storage: container.get(STORAGE),
    stop: async () => {
      console.close()
      await server.close()
      await delivery.stop()
      await container.unbindAsync(TRANSPORT)
      await container.unbindAsync(RETRIES)
      await container.unbindAllAsync()
    },
  }
}

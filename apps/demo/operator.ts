import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { makeMintKey, makeRevokeKey } from '../../core/access/key-use-cases.js'
import type { MintedKey } from '../../core/access/keys.js'
import { makeAddEndpoint } from '../../core/events/endpoint-use-cases.js'
import { endpointIdOf, type EndpointSecret } from '../../core/events/endpoint.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import { type Currency, parseCredit } from '../../core/kernel/money.js'
import { makeTopUp } from '../../core/money/use-cases.js'
import { makeAssignSender } from '../../core/workspaces/senders.js'
import { makeCreateWorkspace } from '../../core/workspaces/use-cases.js'
import { commandLine } from '../cli/arguments.js'
import { emissionOf } from '../server/deps.js'
import type { Printer } from './printer.js'
import { rightOf, unwrap } from './unwrap.js'

/** The operator's part of the demonstration; each step is printed as the command that does the same. */
export type Operator = {
  readonly createWorkspace: (name: string) => Promise<WorkspaceId>
  readonly assignSender: (workspace: WorkspaceId, phoneNumberId: string) => Promise<void>
  /** Adds an endpoint and returns its secret. */
  readonly addEndpoint: (workspace: WorkspaceId, url: string) => Promise<EndpointSecret>
  readonly topUp: (workspace: WorkspaceId, amount: string) => Promise<void>
  readonly mintKey: (workspace: WorkspaceId, name: string) => Promise<MintedKey>
  readonly revokeKey: (id: string) => Promise<void>
}

export const makeOperator = (storage: KnexStorage, pricedIn: Currency, printer: Printer): Operator => {
  const deps = { ...storage, events: emissionOf(storage), pricedIn, newWorkspaceId: () => workspaceIdOf(uuidv7()), newReference: uuidv7, now: Date.now }
  return {
    createWorkspace: async (name) => {
      printer.command(`npx postern workspace create ${name}`)
      const { id } = await unwrap(makeCreateWorkspace(deps)({ by: commandLine(), name }))
      printer.line(id)
      return id
    },
    assignSender: async (workspace, phoneNumberId) => {
      printer.command(`npx postern sender set ${workspace} --phone-number-id ${phoneNumberId}`)
      await unwrap(makeAssignSender({ ...deps, proof: 'believed' })({ by: commandLine(), workspace, phoneNumberId, accessToken: 'demo-token', businessAccountId: undefined }))
    },
    addEndpoint: async (workspace, url) => {
      printer.command(`npx postern endpoint add ${workspace} ${url}`)
      const { endpoint, secret } = await unwrap(makeAddEndpoint({ ...deps, newEndpointId: () => endpointIdOf(uuidv7()), newSecret })({ by: commandLine(), workspace, url }))
      printer.line(`${endpoint.id} ${secret}`)
      return secret
    },
    topUp: async (workspace, amount) => {
      printer.command(`npx postern wallet top-up ${workspace} ${amount}`)
      await unwrap(makeTopUp(deps)({ by: commandLine(), workspace, micros: rightOf(parseCredit(amount)) }))
    },
    mintKey: async (workspace, name) => {
      printer.command(`npx postern key mint ${workspace} --name ${name}`)
      const minted = await unwrap(makeMintKey(deps)({ by: commandLine(), workspace, name }))
      printer.line(minted.key)
      return minted
    },
    revokeKey: async (id) => {
      printer.command(`npx postern key revoke ${id}`)
      await unwrap(makeRevokeKey(deps)({ by: commandLine(), id }))
    },
  }
}

const newSecret = (): EndpointSecret => `whsec_${randomBytes(24).toString('base64')}` as EndpointSecret

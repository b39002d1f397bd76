import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { uuidv7 } from 'uuidv7'
import { makeCheckSender, makeReadSender, makeTemplateSource } from '../../adapters/cloud-api/index.js'
import type { AllWorkspacesSection, SenderSection, SettingsSection } from '../../adapters/console/index.js'
import type { ActDeps } from '../../core/access/acting.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { type Clock, DAY_MS } from '../../core/kernel/time.js'
import { makeSetWalletAlert } from '../../core/money/use-cases.js'
import type { WalletAlerts } from '../../core/money/wallet.js'
import type { StoragePorts } from '../../core/postern.js'
import { makeAssignSender, makeRemoveSender } from '../../core/workspaces/senders.js'
import { makeArchiveWorkspace, makeCreateWorkspace, makeRenameWorkspace } from '../../core/workspaces/use-cases.js'
import { summaryOf } from '../operator/account-summary.js'
import type { Config } from './config.js'
import type { OpeningTransport } from './transport.js'

type Acting = ActDeps & { readonly now: Clock }

/** How the platform is asked about a sender, and whether its token can be stored. */
type AskedPlatform = {
  readonly platform: Pick<Config['platform'], 'url' | 'version' | 'timeoutMs'>; readonly transport: Pick<OpeningTransport, 'send'>; readonly isSecretSet: boolean
}

/** What the console's page of the sender needs. */
export const senderSection = (
  { senders, accountNotices }: Pick<StoragePorts, 'senders' | 'accountNotices'>, acting: Acting,
  { platform: { url: baseUrl, version, timeoutMs }, transport, isSecretSet }: AskedPlatform,
): SenderSection => {
  const endpoint = { baseUrl, version, timeoutMs, transport: transport.send }
  return {
    senderOf: senders.senderOf,
    assignSender: makeAssignSender({ ...acting, senders, proof: { checkSender: makeCheckSender(endpoint), templateSource: makeTemplateSource(endpoint) } }),
    removeSender: makeRemoveSender({ ...acting, senders }),
    readSender: makeReadSender(endpoint),
    reportOf: (accountId) => pipe(accountNotices.latest(accountId), TE.map((notices) => summaryOf(notices, acting.now()))),
    isSecretSet,
  }
}

/** What the console's page of workspaces needs for operators. */
export const allWorkspacesSection = ({ workspaces, ledger }: Pick<StoragePorts, 'workspaces' | 'ledger'>, acting: Acting, pricedIn: () => Currency): AllWorkspacesSection => ({
  createWorkspace: (command) =>
    makeCreateWorkspace({ ...acting, workspaces, pricedIn: pricedIn(), newWorkspaceId: () => workspaceIdOf(uuidv7()) })(command),
  listAll: workspaces.list,
  totals: ledger.totals,
  pricedIn,
})

/** What the console's page of settings needs. */
export const settingsSection = (
  { workspaces, walletAlerts }: Pick<StoragePorts, 'workspaces'> & { readonly walletAlerts: WalletAlerts }, acting: Acting, retentionMs: number | undefined,
): SettingsSection => ({
  renameWorkspace: makeRenameWorkspace({ ...acting, workspaces }),
  archiveWorkspace: makeArchiveWorkspace({ ...acting, workspaces }),
  setWalletAlert: makeSetWalletAlert({ ...acting, walletAlerts }),
  alertsOf: walletAlerts.alertsOf,
  retentionDays: retentionMs === undefined ? undefined : Math.round(retentionMs / DAY_MS),
})

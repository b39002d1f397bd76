import type { ConsolePath } from '../../answer.js'
import type { UsesOf } from '../../gateway.js'
import type { InWorkspace } from '../../page.js'
import type { NumbersDeps } from '../numbers/names.js'

/** The dependencies of the pages of a wallet. */
export type WalletSection =
  & UsesOf<'money'> & UsesOf<'overview'> & NumbersDeps
  & Pick<UsesOf<'clock'>, 'now'> & Pick<UsesOf<'messages'>, 'filterBySender'>

/** The pattern of the address of the wallet. */
export const WALLET_PATH = '/console/workspaces/:workspace/wallet'

/** The address of the wallet of a page's workspace. */
export const pathOf = ({ workspace }: Pick<InWorkspace, 'workspace'>): ConsolePath => `/console/workspaces/${workspace.id}/wallet`

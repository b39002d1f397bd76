import type { ConsolePath } from '../../answer.js'
import type { UsesOf } from '../../gateway.js'
import type { InWorkspace } from '../../page.js'

/** The dependencies of the pages of a wallet. */
export type WalletSection = UsesOf<'money'> & UsesOf<'overview'> & Pick<UsesOf<'clock'>, 'now'>

/** The pattern of the address of the wallet. */
export const WALLET_PATH = '/console/workspaces/:workspace/wallet'

/** The address of the wallet of a page's workspace. */
export const pathOf = ({ workspace }: Pick<InWorkspace, 'workspace'>): ConsolePath => `/console/workspaces/${workspace.id}/wallet`

import type { Command } from 'commander'
import type { Sender } from '../../core/ports/senders.js'
import { jsonOption, platformId } from './arguments.js'
import { print } from './output.js'
import { done, refuse } from './refusal.js'
import { configuration, withStorage, workspaceNamed } from './setting.js'

type SetOptions = { readonly phoneNumberId: string; readonly businessAccountId?: string; readonly json?: boolean }

/** `postern sender …`: the platform account each workspace sends through. */
export const addSenderCommands = (program: Command): void => {
  const sender = program.command('sender').description('the platform account each workspace sends through')

  sender.command('set')
    .description('give a workspace its sender; the access token is read from POSTERN_ACCESS_TOKEN, else from standard input')
    .argument('<workspace>', "the workspace's id")
    .requiredOption('--phone-number-id <id>', "the platform's id of the phone number", platformId)
    .option('--business-account-id <id>', "the platform's id of the business account", platformId)
    .addOption(jsonOption())
    .action((workspace: string, options: SetOptions) => set(workspace, options))
}

/** The token is never an argument, since those are seen by every user of the machine. */
const set = async (workspace: string, options: SetOptions): Promise<void> => {
  const { secret } = await configuration()
  if (secret === undefined) refuse('POSTERN_SECRET is not set; it encrypts the access token, and the gateway needs the same one.')
  const accessToken = (process.env['POSTERN_ACCESS_TOKEN'] || (await standardInput())).trim()
  if (!/^[!-~]{1,4096}$/.test(accessToken)) refuse('The access token is empty or has characters that no token has.')
  await withStorage(async (storage) => {
    const { id } = await workspaceNamed(storage, workspace)
    const sender: Sender = { phoneNumberId: options.phoneNumberId, accessToken, businessAccountId: options.businessAccountId }
    await done(storage.senders.assign(id, sender))
    const shown = { workspace: id, phone_number_id: sender.phoneNumberId, business_account_id: sender.businessAccountId ?? null }
    print(options, shown, () => [`Workspace ${id} now sends through phone number id ${sender.phoneNumberId}.`])
  })
}

const standardInput = async (): Promise<string> => {
  if (process.stdin.isTTY) process.stderr.write('Access token (input is shown), then Enter and Ctrl-D: ')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

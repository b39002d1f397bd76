import { Command } from 'commander'
import { addAuditCommands } from './audit.js'
import { addCustomerCommands } from './customer.js'
import { addDoctorCommand } from './doctor.js'
import { addEndpointCommands } from './endpoint.js'
import { addKeyCommands } from './key.js'
import { addMemberCommands } from './member.js'
import { addMessageCommands } from './message.js'
import { addMigrateCommand } from './migrate.js'
import { addRatesCommand } from './rates.js'
import { addReconcileCommand } from './reconcile.js'
import { addSenderCommands } from './sender.js'
import { addServeCommand } from './serve.js'
import { addSimulatorCommand } from './simulator.js'
import { addTemplateCommands } from './template.js'
import { addWalletCommands } from './wallet.js'
import { addWindowCommands } from './window.js'
import { version } from '../server/version.js'
import { addWorkspaceCommands } from './workspace.js'

/** Every command; what a command needs is loaded when it runs, so that no command waits for the libraries of another. */
export const makeProgram = (): Command => {
  const program = new Command('postern')
    .version(version(), '--version', 'print the version')
    .description('A self-hosted messaging gateway. The environment configures it; `postern doctor` checks it.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`postern: ${text.replace(/^error: /, '').replace(/\n(?=.)/g, ' ')}`) })
  addServeCommand(program)
  addSimulatorCommand(program)
  addMigrateCommand(program)
  addWorkspaceCommands(program)
  addKeyCommands(program)
  addWalletCommands(program)
  addSenderCommands(program)
  addWindowCommands(program)
  addCustomerCommands(program)
  addMessageCommands(program)
  addTemplateCommands(program)
  addEndpointCommands(program)
  addMemberCommands(program)
  addAuditCommands(program)
  addRatesCommand(program)
  addReconcileCommand(program)
  addDoctorCommand(program)
  return program
}

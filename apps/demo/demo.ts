import { senderIdOf } from '../../core/senders/sender.js'
import { causeOf } from '../server/package.js'
import { countDay, fillDay } from './day-of-traffic.js'
import { DASHBOARD_PORT, type Environment, onPort, openEnvironment } from './environment.js'
import { makePrinter, type Printer, sortMovements } from './printer.js'
import { answerCustomer } from './request.js'
import { eventLine, makeOperator, PHONE_NUMBER_ID, runSteps, startSignIn, type StepsResult } from './steps.js'

/** The functions and flags that the demonstration gets from its process. */
export type DemoDeps = {
  readonly write: (text: string) => void
  readonly colours: boolean
  /** Ends after the last step instead of continuing to run. */
  readonly once: boolean
  /** Listens on the ports that the README names, if they are free, instead of on free ones. */
  readonly usesKnownPorts: boolean
  readonly exit: (status: number) => never
}

/** Runs the demonstration until it ends or a signal ends it. It always removes what it created. */
export const runDemo = async ({ write, colours, once, usesKnownPorts, exit: exitProcess }: DemoDeps): Promise<void> => {
  const printer = makePrinter(write, colours)
  const environment = await openEnvironment({ usesKnownPorts })
  const exit = async (status: number): Promise<never> => {
    await environment.close()
    return exitProcess(status)
  }
  const interruption = new AbortController()
  const interrupt = (): void => {
    interruption.abort()
    void exit(0)
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const { gatewayUrl, simulatorUrl, receiver, postern } = environment
  let result: StepsResult
  try {
    printer.line(`Postern listens at ${gatewayUrl}; the platform simulator listens at ${simulatorUrl}.`)
    result = await runSteps({ gatewayUrl, simulatorUrl, receiver, printer, operator: makeOperator(postern, printer) })
    printer.heading(result.allExpected ? 'All replies were as expected.' : 'Some replies were not as expected.')
    if (!once) return await stayUp(environment, result, { printer, dashboardPort: usesKnownPorts ? DASHBOARD_PORT : 0 })
  } catch (error) {
    // A step that was aborted by the interruption is not a fault.
    if (interruption.signal.aborted) return
    printer.heading(`The demonstration failed: ${causeOf(error).message}`)
    return exit(1)
  }
  return exit(result.allExpected ? 0 : 1)
}

const stayUp = async (
  { gatewayUrl, simulatorUrl, simulator, file, receiver, env, storage, postern, card, onClose }: Environment,
  { key, workspace }: StepsResult, { printer, dashboardPort }: { readonly printer: Printer; readonly dashboardPort: number },
): Promise<void> => {
  await fillDay({
    storage,
    card,
    workspace,
    phoneNumberId: senderIdOf(PHONE_NUMBER_ID),
    now: Date.now(),
    onWrote: (customer, person) => simulator.remember(customer, person, PHONE_NUMBER_ID),
  })
  await sortMovements(file)
  await countDay(storage, workspace, Date.now())
  const signIn = await onPort(dashboardPort, (port) => startSignIn(postern, `${gatewayUrl}/console/workspaces/${workspace}`, port))
  onClose(signIn.close)
  const variables = ['DATABASE_URL', 'POSTERN_SECRET', 'PLATFORM_URL', 'PLATFORM_VERIFY_TOKEN', 'PLATFORM_APP_SECRET']
    .map((name) => `${name}=${env[name] ?? ''}`)
  printer.line(`The gateway keeps running at ${gatewayUrl}, so you can paste and run every command above.`)
  printer.line('To run them in another shell, run this line there first:')
  printer.command(`export ${variables.join(' ')} POSTERN_ACCESS_TOKEN=demo-token API_KEY=${key}`)
  printer.line('New events are printed here as they arrive. Customers who write get an automatic reply.')
  receiver.onEvent((event) => {
    printer.line(eventLine(event))
    if (event.type !== 'message.received') return
    answerCustomer({ gatewayUrl, key, printer }, event).catch((error: unknown) => printer.line(`The reply failed: ${causeOf(error).message}`))
  })
  printer.line('Press Ctrl-C to stop the demo and delete its data.')
  printer.heading('Open these two pages side by side')
  printer.line(`The dashboard, signed in, with a day of traffic:      ${signIn.url}`)
  printer.line(`The phone of a customer, Ada; send messages from it:  ${simulatorUrl}/_simulator`)
}

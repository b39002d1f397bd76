import { causeOf } from '../server/package.js'
import { countDay, fillDay } from './day-of-traffic.js'
import { DASHBOARD_PORT, type Environment, onPort, openEnvironment } from './environment.js'
import { makePrinter, type Printer, sortMovements } from './printer.js'
import { answerCustomer } from './request.js'
import { eventLine, makeOperator, PHONE_NUMBER_ID, runSteps, startSignIn, type StepsResult } from './steps.js'

/** What the demonstration needs of its process. */
export type DemoDeps = {
  readonly write: (text: string) => void
  readonly colours: boolean
  /** Ends after the last step instead of staying up; it then listens on free ports. */
  readonly once: boolean
  readonly exit: (status: number) => never
}

/** Runs the demonstration until it ends or a signal ends it, and leaves nothing behind, whatever ends it. */
export const runDemo = async ({ write, colours, once, exit: exitProcess }: DemoDeps): Promise<void> => {
  const printer = makePrinter(write, colours)
  const environment = await openEnvironment({ usesKnownPorts: !once })
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
    printer.line(`Postern listens at ${gatewayUrl}; a stand-in for the platform at ${simulatorUrl}.`)
    result = await runSteps({ gatewayUrl, simulatorUrl, receiver, printer, operator: makeOperator(postern, printer) })
    printer.heading(result.allExpected ? 'Every reply was the expected one.' : 'Some reply was not the expected one.')
    if (!once) return await stayUp(environment, result, printer)
  } catch (error) {
    // A step that the interruption cut off is no fault.
    if (interruption.signal.aborted) return
    printer.heading(`The demonstration failed: ${causeOf(error).message}`)
    return exit(1)
  }
  return exit(result.allExpected ? 0 : 1)
}

const stayUp = async ({ gatewayUrl, simulatorUrl, simulator, file, receiver, env, storage, postern, card, onClose }: Environment, { key, workspace }: StepsResult, printer: Printer): Promise<void> => {
  await fillDay({ storage, card, workspace, phoneNumberId: PHONE_NUMBER_ID, now: Date.now(), onWrote: (customer, person) => simulator.remember(customer, person, PHONE_NUMBER_ID) })
  await sortMovements(file)
  await countDay(storage, workspace, Date.now())
  const signIn = await onPort(DASHBOARD_PORT, (port) => startSignIn(postern, `${gatewayUrl}/console/workspaces/${workspace}`, port))
  onClose(signIn.close)
  const variables = ['DATABASE_URL', 'POSTERN_SECRET', 'PLATFORM_URL', 'PLATFORM_VERIFY_TOKEN', 'PLATFORM_APP_SECRET'].map((name) => `${name}=${env[name] ?? ''}`)
  printer.line(`The gateway stays up at ${gatewayUrl}, so every line above can be pasted.`)
  printer.line('The commands work in another shell after this line:')
  printer.command(`export ${variables.join(' ')} POSTERN_ACCESS_TOKEN=demo-token API_KEY=${key}`)
  printer.line('New events are shown here as they come, and customers who write get an answer.')
  receiver.onEvent((event) => {
    printer.line(eventLine(event))
    if (event.type !== 'message.received') return
    answerCustomer({ gatewayUrl, key, printer }, event).catch((error: unknown) => printer.line(`The answer failed: ${causeOf(error).message}`))
  })
  printer.line('Ctrl-C ends it and leaves nothing behind.')
  printer.heading('Two pages to open, side by side')
  printer.line(`The dashboard, signed in, with a day of traffic:  ${signIn.url}`)
  printer.line(`The phone of a customer, Ada; write as she does:  ${simulatorUrl}/_simulator`)
}

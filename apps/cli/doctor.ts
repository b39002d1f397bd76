import type { Command } from 'commander'
import { jsonOption } from './arguments.js'
import { FaultFound } from './error-messages.js'
import { print, type JsonFlag } from './output.js'
import type { Shell } from './shell.js'

/** `postern doctor`: checks configuration, database and platform, and says what to do about each fault. */
export const addDoctorCommand = (program: Command, shell: Shell): void => {
  program.command('doctor')
    .description('check configuration, database and platform; say what to do about each fault')
    .addOption(jsonOption())
    .action((options: JsonFlag) => doctor(shell, options))
}

const doctor = async (shell: Shell, options: JsonFlag): Promise<void> => {
  const { runChecks } = await import('../operator/checks.js')
  const results = await runChecks(shell.env)
  const healthy = results.every(({ fault }) => fault === null)
  print(shell, options, { ok: healthy, checks: results.map((result) => ({ ...result, ok: result.fault === null })) }, () =>
    results.map(({ check, fault, remedy, note }) =>
      fault === null ? `ok     ${check}${note === undefined ? '' : `: ${note}.`}` : `FAULT  ${check}: ${fault}. ${remedy ?? ''}`.trimEnd(),
    ),
  )
  if (!healthy) throw new FaultFound()
}

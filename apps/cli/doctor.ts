import type { Command } from 'commander'
import { jsonOption } from './arguments.js'
import { print } from './output.js'

type Json = { readonly json?: boolean }

/** `postern doctor`: checks configuration, database and platform, and says what to do about each fault. */
export const addDoctorCommand = (program: Command): void => {
  program.command('doctor')
    .description('check configuration, database and platform; say what to do about each fault')
    .addOption(jsonOption())
    .action((options: Json) => doctor(options))
}

const doctor = async (options: Json): Promise<void> => {
  const { examine } = await import('./examination.js')
  const findings = await examine(process.env)
  const healthy = findings.every(({ fault }) => fault === null)
  print(options, { ok: healthy, checks: findings.map((finding) => ({ ...finding, ok: finding.fault === null })) }, () =>
    findings.map(({ check, fault, remedy }) =>
      fault === null ? `ok     ${check}` : `FAULT  ${check}: ${fault}. ${remedy ?? ''}`.trimEnd(),
    ),
  )
  if (!healthy) process.exitCode = 1
}

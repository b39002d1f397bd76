import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { LANGUAGES } from '../../../../adapters/koa/reference/samples.js'

type Language = keyof typeof LANGUAGES

const COMMANDS: Readonly<Record<Language, (program: string) => readonly [command: string, args: ReadonlyArray<string>]>> = {
  curl: (program) => ['sh', ['-c', program.replace(/^curl/, 'curl -sS --max-time 20')]],
  javascript: (program) => [process.execPath, ['--input-type=module', '--eval', program]],
  python: (program) => ['python3', ['-c', program]],
  php: (program) => ['php', ['-r', program.replace('<?php\n', '')]],
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const hasPhp = (process.env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder, 'php')))

/** The languages whose programs run on this machine. */
export const RUNNING: ReadonlyArray<Language> = ['curl', 'javascript', 'python', ...(hasPhp ? ['php' as const] : [])]

/** Runs a program with a key, and gives what it prints. */
export const run = async (language: Language, program: string, key: string, cwd?: string): Promise<string> => {
  const [command, args] = COMMANDS[language](program)
  const { stdout } = await promisify(execFile)(
    command, [...args], { cwd, timeout: 30_000, env: { ...process.env, POSTERN_KEY: key, NODE_OPTIONS: '' } },
  )
  return stdout
}

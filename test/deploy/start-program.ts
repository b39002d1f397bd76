import { spawn } from 'node:child_process'

/** A program that a test started. */
export type Program = {
  /** Resolves when its output has a text; rejects with the output if it ends before. */
  readonly logged: (text: string) => Promise<void>
  /** Resolves with its exit status; null after a signal ended it. */
  readonly ended: Promise<number | null>
  readonly signal: (name: 'SIGTERM' | 'SIGKILL') => void
}

/** Starts a program with exactly these variables and PATH. */
export const startProgram = (path: string, words: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Program => {
  const child = spawn(path, words, { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      for (const look of waiting) look()
    })
  }
  const ended = new Promise<number | null>((resolve) => { child.once('close', (status) => { resolve(status) }) })
  return {
    ended,
    signal: (name) => { child.kill(name) },
    logged: (text) => new Promise((resolve, reject) => {
      const look = (): void => { if (output.includes(text)) resolve() }
      waiting.add(look)
      look()
      void ended.then(() => { reject(new Error(`the program ended: ${output}`)) })
    }),
  }
}

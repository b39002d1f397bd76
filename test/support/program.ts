import { spawn } from 'node:child_process'

/** A program that a test started. */
export type Program = {
  /** Its output so far, of both streams. */
  readonly output: () => string
  /** Resolves when its output contains a text or matches a pattern, with the match; rejects with the output if the program ends before. */
  readonly logged: (text: string | RegExp) => Promise<ReadonlyArray<string>>
  /** Resolves with its exit status; null if a signal ended it. */
  readonly ended: Promise<number | null>
  readonly signal: (name: NodeJS.Signals) => void
}

/** Starts a program with exactly these variables and PATH. */
export const startProgram = (path: string, words: ReadonlyArray<string>, env: Readonly<Record<string, string>>, cwd?: string): Program => {
  const child = spawn(path, words, { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
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
    output: () => output,
    ended,
    signal: (name) => { child.kill(name) },
    logged: (text) => new Promise((resolve, reject) => {
      const look = (): void => {
        const found = typeof text === 'string' ? (output.includes(text) ? [text] : null) : text.exec(output)
        if (found !== null) resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then(() => { reject(new Error(`the program ended: ${output}`)) })
    }),
  }
}

import { run } from './program.js'

const { argv, env, stdout, stderr } = process

// A program that reads the output may close it before the end, as `head` does.
const onClosedOutput = (error: NodeJS.ErrnoException): never => process.exit(error.code === 'EPIPE' ? 0 : 1)
stdout.on('error', onClosedOutput)

process.exitCode = await run(argv.slice(2), {
  env, stdout, stderr,
  // Node opens stdin when it is first used, and few commands read it.
  get stdin() { return process.stdin },
  process: { ignoreClosedOutput: () => void stdout.off('error', onClosedOutput), exit: (status) => process.exit(status) },
})

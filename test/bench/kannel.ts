import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/free-port.js'
import { cpuSeconds } from '../support/process-usage.js'
import { makeScratch } from '../support/scratch.js'
import type { Cleanup } from './cleanup.js'
import type { Cores } from './cores.js'
import type { LoadRequest } from './load-result.js'

/** Kannel, an SMS gateway in C, which accepts a message by HTTP and passes it to the platform's stub by HTTP. It stores nothing and does not handle money. */
export type Kannel = {
  readonly url: string
  readonly requests: ReadonlyArray<LoadRequest>
  /** The processor time of its two processes, in seconds. */
  readonly cpuSeconds: () => Promise<number>
}

const START_MS = 10_000
const CREDENTIAL = 'bench'

/** Starts Kannel with a platform behind it, as Debian's package installs it; `undefined` if it is not installed. */
export const startKannel = async (cores: Cores, platform: string, cleanup: Cleanup): Promise<Kannel | undefined> => {
  const scratch = await makeScratch()
  cleanup.defer(scratch.remove)
  const [admin, box, incoming, port] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const file = scratch.path('kannel.conf')
  await writeFile(file, configuration({ admin, box, incoming, port, platform }))
  const bearerbox = await start('bearerbox', file, cleanup)
  if (bearerbox === undefined) return undefined
  await answers(`http://127.0.0.1:${admin}/status?password=${CREDENTIAL}`)
  const smsbox = await start('smsbox', file, cleanup)
  if (smsbox === undefined) return undefined
  const url = `http://127.0.0.1:${port}`
  await answers(url)
  const pids = [bearerbox.pid ?? 0, smsbox.pid ?? 0]
  for (const pid of pids) await cores.pin(pid, 'measured')
  const text = encodeURIComponent('Hello Ada, your order A-17 has left our warehouse.')
  return {
    url,
    requests: Array.from({ length: 256 }, (_, place) => ({
      method: 'GET',
      path: `/cgi-bin/sendsms?username=${CREDENTIAL}&password=${CREDENTIAL}&to=1555010${String(place).padStart(4, '0')}&text=${text}`,
      headers: {},
    })),
    cpuSeconds: async () => (await Promise.all(pids.map(cpuSeconds))).reduce((sum, seconds) => sum + seconds, 0),
  }
}

const start = async (program: string, file: string, cleanup: Cleanup): Promise<ChildProcess | undefined> => {
  const child = spawn(program, ['-v', '4', file], { stdio: 'ignore' })
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  if (!isStarted) return undefined
  const ended = new Promise<void>((resolve) => { child.once('exit', () => resolve()) })
  cleanup.defer(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return child
}

const answers = async (url: string): Promise<void> => {
  for (const endsAt = performance.now() + START_MS; performance.now() < endsAt; await delay(50)) {
    if (await fetch(url).then(() => true, () => false)) return
  }
  throw new Error(`Kannel did not listen within ${START_MS} ms`)
}

type Ports = { readonly admin: number; readonly box: number; readonly incoming: number; readonly port: number; readonly platform: string }

const configuration = ({ admin, box, incoming, port, platform }: Ports): string => `group = core
admin-port = ${admin}
admin-password = ${CREDENTIAL}
smsbox-port = ${box}
box-allow-ip = "127.0.0.1"
admin-allow-ip = "127.0.0.1"
log-level = 4

group = smsc
smsc = http
smsc-id = stub
system-type = generic
send-url = "${platform}/messages?to=%p&text=%a"
status-success-regex = "200"
status-permfail-regex = "[345][0-9][0-9]"
generic-foreign-id-regex = "wamid.([A-Za-z0-9]+)"
port = ${incoming}
max-pending-submits = 256

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${box}
sendsms-port = ${port}
global-sender = 13013
log-level = 4

group = sendsms-user
username = ${CREDENTIAL}
password = ${CREDENTIAL}
`

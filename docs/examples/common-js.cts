import postern = require('postern')
import memory = require('postern/memory')

const main = async (): Promise<void> => {
  const to = postern.phoneNumberOf('+33 6 39 98 00 01')
  const { workspace, ...sandbox } = await memory.openSandbox()
  const reply = await postern.makeSending(sandbox, sandbox).sendTemplate({ workspace, to, name: 'order_update' })
  console.log(reply._tag === 'Right' ? `sent as ${reply.right.platformId}` : reply.left._tag)
}

void main()

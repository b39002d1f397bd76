import { makeTemplateSource } from '../../adapters/cloud-api/templates.js'
import type { TemplateSource } from '../../core/templates/catalogue.js'
import type { Config } from '../server/config.js'
import { openTransport } from '../server/transport.js'

/** Opens a connection to the platform for one use of its lists of templates, and closes it afterwards. */
export const withTemplateSource = async <A>(
  platform: Config['platform'], use: (templateSource: TemplateSource) => Promise<A>,
): Promise<A> => {
  const { url: baseUrl, version, timeoutMs } = platform
  const transport = openTransport(platform)
  try {
    await transport.opened
    return await use(makeTemplateSource({ baseUrl, version, timeoutMs, transport: transport.send }))
  } finally {
    await transport.close()
  }
}

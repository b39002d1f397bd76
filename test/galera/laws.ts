import type { Suite } from 'mocha'
import { describePorts } from '../support/describe-ports.js'
import type { GaleraCluster } from '../support/galera.js'

export const lawsAcrossNodes = (cluster: () => GaleraCluster): Suite => describe('Every port over SQL, with the other gateway on another Galera node', () => {
  describePorts({
    create: async () => {
      const { urls: [url, elsewhere] } = await cluster().createDatabase('postern_laws')
      return { url, elsewhere, [Symbol.asyncDispose]: () => Promise.resolve() }
    },
  })
})

import { describeGalera, startGalera, type GaleraCluster } from '../support/galera.js'
import { describePorts } from '../support/describe-ports.js'

describeGalera('Every port over SQL, with the other gateway on another Galera node', function () {
  this.timeout(60_000)
  let cluster: GaleraCluster

  before(async () => { cluster = await startGalera() })
  after(() => cluster.remove())

  describePorts({
    create: async () => {
      const { urls: [url, elsewhere] } = await cluster.createDatabase('postern_laws')
      return { url, elsewhere, [Symbol.asyncDispose]: () => Promise.resolve() }
    },
  })
})

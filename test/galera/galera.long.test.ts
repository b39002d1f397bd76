// Long: starts a cluster of three nodes, and holds every port to its laws across them. The fast part does so on one server.
import { describeGalera, startGalera, type GaleraCluster } from '../support/galera.js'
import { lawsAcrossNodes } from './laws.js'

describeGalera('A Galera cluster, for every law,', () => {
  let cluster: GaleraCluster

  before(async () => { cluster = await startGalera() })
  after(() => cluster.remove())

  lawsAcrossNodes(() => cluster)
})

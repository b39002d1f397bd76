// Slow: starts a cluster of three nodes. `galera.long.test.ts` also holds every port to its laws across them.
import { describeGalera, startGalera, type GaleraCluster } from '../support/galera.js'
import { concurrentMigrations } from './migrate.js'
import { oneInstallation } from './one-installation.js'
import { sendsOnEveryNode } from './sends.js'
import { staleReads } from './stale-reads.js'
import { templateChanges } from './template-changes.js'
import { wholeTransactions } from './whole-transactions.js'

// A cluster takes longer to start than most of these suites to run, and none of them stops a node, so they share one.
describeGalera('A Galera cluster', () => {
  let cluster: GaleraCluster

  before(async () => { cluster = await startGalera() })
  after(() => cluster.remove())

  const suites = [concurrentMigrations, sendsOnEveryNode, staleReads, wholeTransactions, templateChanges, oneInstallation]
  for (const suite of suites) suite(() => cluster)
})

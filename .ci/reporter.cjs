const { appendFileSync, writeFileSync } = require('node:fs')
const { reporters } = require('mocha')

/** As much of an error as tells what happened; the whole of it is where the test ran. */
const MAX_CHARACTERS = 2_000

/**
 * Mocha's usual report; it also leaves how many tests passed and failed in the file that the option `counts` names, and adds what failed to the
 * one that `failures` names, so that it can be shown again at the end of a long output.
 */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const { counts, failures } = options.reporterOptions
    runner.on('fail', (test, error) =>
      appendFileSync(failures, `${test.fullTitle()}\n${String(error.stack ?? error.message ?? error).slice(0, MAX_CHARACTERS)}\n\n`))
    runner.once('end', () => writeFileSync(counts, `${this.stats.passes} ${this.stats.failures}\n`))
  }
}

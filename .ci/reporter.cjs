const { writeFileSync } = require('node:fs')
const { reporters } = require('mocha')

/** Mocha's usual report; it also leaves how many tests passed and failed in the file that the option `counts` names. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once('end', () => writeFileSync(options.reporterOptions.counts, `${this.stats.passes} ${this.stats.failures}\n`))
  }
}

const isLong = process.env['TEST_LENGTH'] === 'long'

/** A number of repetitions: that of the long form of the slow tests, which `npm run test:long` runs, or that of every run. */
export const repetitions = ({ long, usual }: { readonly long: number; readonly usual: number }): number => (isLong ? long : usual)

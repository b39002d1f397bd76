const isLong = process.env['TEST_LENGTH'] === 'long'

/** A number of repetitions: `long` for the long form of the slow tests, which `npm run test:long` runs, or otherwise `usual`. */
export const repetitions = ({ long, usual }: { readonly long: number; readonly usual: number }): number => (isLong ? long : usual)

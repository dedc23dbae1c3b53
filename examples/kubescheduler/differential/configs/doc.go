// Package configs answers: does the library take a KubeSchedulerConfiguration when kube-scheduler starts with it, and
// read the same out of it? Its test draws files from a seed, has the scheduler's own code decode them, fill in
// defaults, validate them and build a scheduler, and compares plugins, weights and arguments. A plain run looks at a
// sample; -files 30000 at that many.
package configs

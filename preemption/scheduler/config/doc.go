// Package config answers what a KubeSchedulerConfiguration file means for preemption: it reads the file that
// kube-scheduler is started with (kubescheduler.config.k8s.io/v1) and returns a [preemption.Config] for each of
// its profiles.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	read, err := config.Read(outrank.DefaultRelease, file)
//	profile, ok := read.Profile(pod.Scheduler())
//	evaluator, err := engine.New(profile.Config)
//
// It reads JSON, because the standard library has no YAML. Any tool that converts will do:
//
//	yq -o=json . scheduler.yaml
//	python3 -c 'import json,sys,yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)' < scheduler.yaml
//
// These settings count, by the rules in RULES.md in this folder:
//
//	in the file                                        becomes
//	DefaultPreemption off                              Config.Profile.Off
//	the plugins at postFilter                          Profile.WaysOut
//	DefaultPreemptionArgs                              Config.Sample
//	a filter off                                       Config.Profile.Off, OffOnNodes
//	NodeAffinityArgs.addedAffinity                     Config.Profile.AddedAffinity
//	NodeResourcesFitArgs.ignoredResources and -Groups  Config.Profile.IgnoredResources, IgnoredResourceGroups
//	the schedulerNames of all profiles                 Config.Profile.Schedulers
//	an extender's ignoredByScheduler                   Config.Profile.IgnoredResources
//	PodTopologySpreadArgs.defaultConstraints           Config.Profile.DefaultConstraints
//	plugins and weights at score, and the arguments
//	of the plugins there                               Profile.Scores
//	podInitialBackoffSeconds, podMaxBackoffSeconds     Configuration.InitialBackoff, MaxBackoff
//
// A file with which kube-scheduler would not start is an error: unknown fields, repeated fields, invalid
// arguments, plugins at a point that they do not serve. [Profile.Unsupported] lists settings with which it
// would start but which this module cannot follow: extenders, plugins that are not kube-scheduler's own,
// filters in another order. [Profile.UnsupportedScores] does so for scores. Fields that affect neither, such as
// leader election or timeouts, are checked for their names and types and then left out.
package config

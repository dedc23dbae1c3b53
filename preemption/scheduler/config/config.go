package config

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Configuration is the content of a file, as far as preemption depends on it.
type Configuration struct {
	// Profiles are in the order of the file. A file without any has one for
	// outrank.DefaultScheduler.
	Profiles []Profile
	// InitialBackoff and MaxBackoff are the queue's; zero where the file has none.
	InitialBackoff, MaxBackoff time.Duration
}

// Profile is one profile: the settings for the pods of one schedulerName.
type Profile struct {
	SchedulerName string
	// Config decides as the profile does. Sample is set only if the file has
	// arguments for DefaultPreemption; without it every node is looked at, where
	// kube-scheduler stops after 10 % or 100 of them. Its offset, which
	// kube-scheduler draws at random, is left to the caller. Where
	// Config.Profile.DefaultConstraints has one of DoNotSchedule, the caller has to set
	// Config.Profile.SpreadSelector, to SpreadSelector for one.
	Config preemption.Config
	// Scores gives nodes the scores that the profile gives them. The caller has to set
	// Scores.SpreadSelector, to SpreadSelector for one: without it no default constraint
	// has a part in the scores.
	Scores score.Config
	// WaysOut names the plugins that look for a way out, in their order (rule 19.2.9).
	// Without any a pod that fits nowhere loses its nomination: the Ways of package
	// execution's Failure are then an empty list, and not nil. Where DefaultPreemption
	// alone is missing, for which Config has preemption Disabled, the pod keeps it. A
	// plugin of multiPoint that is not known is among them, whether it has a way out or
	// not.
	WaysOut []string
	// Unsupported names everything that kube-scheduler would do and Config does
	// not, in the order of the file. Answers may differ from those of
	// kube-scheduler wherever it is not empty.
	Unsupported []outrank.Problem
	// UnsupportedScores is Unsupported for Scores.
	UnsupportedScores []outrank.Problem
}

// Profile returns the profile of a scheduler's name, that of a pod being
// [outrank.Pod.Scheduler]. Without one it is not ok: this scheduler then leaves
// the pod to another.
func (c *Configuration) Profile(schedulerName string) (*Profile, bool) {
	for i := range c.Profiles {
		if c.Profiles[i].SchedulerName == schedulerName {
			return &c.Profiles[i], true
		}
	}
	return nil, false
}

// fileVersion is the version of the files that [Read] reads.
const fileVersion = "kubescheduler.config.k8s.io/v1"

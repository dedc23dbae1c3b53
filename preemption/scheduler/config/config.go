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
	// InitialBackoff and MaxBackoff are settings of the queue, zero if the file has none.
	InitialBackoff, MaxBackoff time.Duration
}

// Profile is one profile: the settings for the pods of one schedulerName.
type Profile struct {
	SchedulerName string
	// Config has preemption decide as the profile does. Sample is set only if the file has
	// arguments for DefaultPreemption; without it every node is looked at, while
	// kube-scheduler stops after 10 % or 100 of them. The caller chooses the offset of each request,
	// which kube-scheduler draws at random. If
	// Config.Profile.DefaultConstraints has one of DoNotSchedule, the caller must set
	// Config.Profile.SpreadSelector, for instance to what SpreadSelector returns.
	Config preemption.Config
	// Scores has nodes scored as the profile scores them. The caller must set
	// Scores.SpreadSelector, for instance to what SpreadSelector returns: without it no default constraint
	// has a part in the scores.
	Scores score.Config
	// WaysOut has the names of the plugins that look for a way out, in their order (rule 19.2.9).
	// If it is empty a pod that fits nowhere loses its nomination: the Ways of package
	// execution's Failure are then an empty list, and not nil. If only DefaultPreemption
	// is missing, for which Config has preemption Disabled, the pod keeps its nomination. A
	// plugin of multiPoint that is not known is in the list, whether it has a way out or
	// not.
	WaysOut []string
	// Unsupported names everything that kube-scheduler would do and Config does
	// not, in the order of the file. If it is not empty, answers may differ from those of
	// kube-scheduler.
	Unsupported []outrank.Problem
	// UnsupportedScores is Unsupported for Scores.
	UnsupportedScores []outrank.Problem
}

// Profile returns the profile with a scheduler's name, which a pod has as
// [outrank.Pod.Scheduler]. It is not ok if there is none: this scheduler then leaves
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

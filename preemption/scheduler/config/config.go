package config

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Configuration has the settings of a file that preemption and scores depend on.
type Configuration struct {
	// Profiles are in the order of the file. A file without profiles has one for
	// outrank.DefaultScheduler.
	Profiles []Profile
	// InitialBackoff and MaxBackoff are settings of the queue, zero if the file has none.
	InitialBackoff, MaxBackoff time.Duration
}

// Profile is one profile: the settings for the pods of one schedulerName.
type Profile struct {
	SchedulerName string
	// Config makes preemption decide as the profile does. Sample is set only if the file has
	// arguments for DefaultPreemption; without it every node is looked at, while
	// kube-scheduler stops after 10 % of the nodes or 100 candidates. The caller chooses the offset of each
	// request, which kube-scheduler draws at random. If Config.Profile.DefaultConstraints has a constraint
	// with DoNotSchedule, the caller must set Config.Profile.SpreadSelector, for instance to the function that
	// SpreadSelector returns.
	Config preemption.Config
	// Scores makes nodes scored as in the profile. The caller must set Scores.SpreadSelector, for
	// instance to the function that SpreadSelector returns: without it default constraints have no effect on
	// the scores.
	Scores score.Config
	// WaysOut names the plugins at postFilter, which look for a way out, in their order (rule 19.2.9).
	// If it is empty, a pod that fits nowhere loses its nomination: execution.Failure.Ways is then
	// an empty list, and not nil. If only DefaultPreemption is missing, Config turns preemption off and the
	// pod keeps its nomination. A plugin of multiPoint that is not known is in the list even if it does
	// not serve postFilter.
	WaysOut []string
	// Unsupported lists the settings that kube-scheduler follows and Config does not, in the order of the
	// file. If it is not empty, answers may differ from kube-scheduler's.
	Unsupported []outrank.Problem
	// UnsupportedScores is Unsupported for Scores.
	UnsupportedScores []outrank.Problem
}

// Profile returns the profile for the pods of a scheduler, which [outrank.Pod.Scheduler] names. The result is
// false if there is none: this scheduler then leaves the pod to another.
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

package preemption

import (
	"time"

	"github.com/outrank-go/outrank"
)

// steps are the places where an attempt can leave the way of today's kube-scheduler, because of a variant
// or a setting. The plain form of each step stands in its chapter. To follow the plain way, read plain in
// this file and skip the rest.
type steps struct {
	// eligible says why the pod may not preempt; nominated is the node that it is nominated to, on is
	// that node's status (chapter 8).
	eligible func(a *attempt, nominated *site, on Status) Ineligibility
	// takesAnyway lets a unit be a possible victim though its priority is not lower (rule 9.1).
	takesAnyway func(u *unit) bool
	// ageOf returns the start by which pods of one priority are ordered (group 4.3).
	ageOf func(a *attempt, p *outrank.Pod) time.Time
	// askedFirst returns the node that is asked before all others; nil for none (rule 7.15.9).
	askedFirst func(a *attempt) *site
	// fits asks the filters (group 7.16).
	fits func(d *dryRun) Status
	// unasked is the status of a node that the caller's scheduler did not ask (rule 13.2.10).
	unasked Status
	// victims finds the victims among the possible ones (chapter 9).
	victims victimFinder
	// takesFree reports whether the node may be taken without a victim (rules 9.2, 9.9 and 13.2.11).
	takesFree func(a *attempt, s *site) bool
	// spare returns the possible victims that may leave. It is given a dry run without any of the
	// possible ones, and returns one with the spared ones put back. The status says why there is no room
	// then (rule 13.5.2).
	spare func(d *dryRun, possible []*unit) (*dryRun, []*unit, Status)
	// charge charges the budgets, and says which of them each pod violates (group 6.3).
	charge func(a *attempt, pods []*occupant) charges
	// violations returns what a victim that violates these budgets adds to the score (rule 9.7).
	violations func(violated []*outrank.PodDisruptionBudget) int
	// recharge may charge the budgets once more, for the victims alone (rule 13.5.5).
	recharge func(a *attempt, victims []*unit, violated charges) charges
	// readsTop may change the top priority of a score. found has at least one victim, and is in the order in
	// which the victims were found (rules 11.3 and 13.2.3).
	readsTop func(found []loss, score *Score)
	// shows puts the victims of a candidate in the order in which the first extender sees them (rule 10.2.1).
	shows func(victims []Victim) []Victim
	// compareFirst compares two candidates before any rank does (rules 11.1 and 13.2.11).
	compareFirst func(c, d *Candidate) (order int, by string)
	// ranks compare the candidates where the configuration names none (rule 11.1).
	ranks []Rank
	// clears reports whether the lower nominations to the chosen node are cleared (rule 14.2.6).
	clears func(a *attempt, victims []Victim) bool
}

// victimFinder finds the victims on a node among the possible ones. The status says why the node is no
// candidate.
type victimFinder func(a *attempt, s *site, possible []*unit) (*Candidate, Status, error)

// plain returns the steps of today's kube-scheduler, which are the default (rule 13.1.1).
func plain() steps {
	return steps{
		// Chapters 7 and 8: what the nodes say, and whether the pod may preempt.
		askedFirst: (*attempt).nominatedSite,
		fits:       (*dryRun).fits,
		unasked:    neverFiltered,
		eligible:   (*attempt).eligible,

		// Chapters 4, 6 and 9: the victims on a node.
		takesAnyway: func(*unit) bool { return false },
		ageOf:       (*attempt).startOf,
		victims:     (*attempt).removeAndReprieve,
		takesFree:   func(*attempt, *site) bool { return false },
		spare:       spareNobody,
		charge:      (*attempt).charge,
		recharge:    func(_ *attempt, _ []*unit, violated charges) charges { return violated },

		// Chapters 10, 11 and 14: the choice of a node, and what follows from it.
		shows:        func(victims []Victim) []Victim { return victims },
		violations:   onePerPod,
		readsTop:     func([]loss, *Score) {},
		compareFirst: func(*Candidate, *Candidate) (int, string) { return 0, "" },
		ranks:        DefaultRanks(),
		clears:       (*attempt).clearsForSomebody,
	}
}

// spareNobody lets all possible victims leave (rule 9.3).
func spareNobody(d *dryRun, possible []*unit) (*dryRun, []*unit, Status) {
	return d, possible, Status{}
}

// stepsOfVariant returns the steps of a variant alone (chapter 13).
func stepsOfVariant(v outrank.Variant) steps {
	switch v {
	case outrank.VariantV1_13:
		return v113()
	case outrank.VariantSimplified:
		return simplified()
	}
	return plain()
}

// stepsOf returns the steps of a configuration: the steps of its variant, some of them replaced by settings
// (rule 13.1.4). The order matters, because later settings build on the steps so far.
func stepsOf(config *Config) steps {
	s := stepsOfVariant(config.Variant)

	// The simplified variant finds victims from the least important one up (rule 13.3.1), and so it keeps
	// to budgets and guards in its own way.
	ascending := config.Variant == outrank.VariantSimplified
	switch config.Budgets {
	case ChargeVictims:
		s = s.chargingVictims(ascending)
	case NeverViolate:
		s = s.strict(ascending)
	}

	// Exact victims do not go with a guard, and the victims of a chooser are held to it once they are
	// chosen (rule 13.6.6). Across has a search of its own and needs no step here.
	switch rule := config.Victims.(type) {
	case Exact:
		return s.exact(config)
	case Chooser:
		return s.choosing(rule, config)
	}

	// A guard narrows the possible victims, whichever step finds the victims among them (rule 13.6.3).
	if config.Guard != nil {
		s = s.guarded(ascending)
	}
	return s
}

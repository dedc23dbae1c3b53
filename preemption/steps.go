package preemption

import (
	"time"

	"github.com/outrank-go/outrank"
)

// steps are the places where an attempt can go another way than kube-scheduler's: because of the
// variant, or because of what the configuration asks for. The plain way stands in the chapter of each
// step; whoever reads it may skip this file and all that it names but plain.
type steps struct {
	// eligible says why the pod may not preempt, nominated to a node with a status (chapter 8).
	eligible func(a *attempt, nominated *site, on Status) Ineligibility
	// takesAnyway lets a unit be a possible victim that is of no lower priority (rule 9.1).
	takesAnyway func(u *unit) bool
	// ageOf is the start by which pods of one priority are ordered (group 4.3).
	ageOf func(a *attempt, p *outrank.Pod) time.Time
	// askedFirst is the node that is asked before all others; nil for none (rule 7.15.9).
	askedFirst func(a *attempt) *site
	// fits asks the filters (group 7.16), and unasked is the answer of a node that was not asked.
	fits    func(d *dryRun) Status
	unasked Status
	// victims finds the victims among the possible ones (chapter 9).
	victims func(a *attempt, s *site, possible []*unit) (*Candidate, Status, error)
	// takesFree reports whether a node may be taken on which nobody leaves (rules 9.2 and 9.9).
	takesFree func(a *attempt, s *site) bool
	// spare says which of the possible victims, all of which are away, may leave, and returns a dry run
	// without these. The status says why there is no room then.
	spare func(d *dryRun, possible []*unit) (*dryRun, []*unit, Status)
	// charge says who violates which budgets (group 6.3), and violations what a victim adds to their
	// number (rule 9.7).
	charge     func(a *attempt, pods []*occupant) charges
	violations func(violated []*outrank.PodDisruptionBudget) int
	// recharge may charge budgets once more, for the victims alone (rule 13.5.5).
	recharge func(a *attempt, victims []*unit, violated charges) charges
	// readsTop may read the top priority in another way, from the victims in the order in which they
	// were found (rule 11.3).
	readsTop func(found []loss, score *Score)
	// shows lists the victims of a candidate as the first extender is shown them (rule 10.2.1).
	shows func(victims []Victim) []Victim
	// compareFirst decides before the ranks (rule 11.1), which are ranks.
	compareFirst func(c, d *Candidate) (order int, by string)
	ranks        []Rank
	// clears reports whether the lower nominations of the chosen node are cleared (rule 14.2.6).
	clears func(a *attempt, victims []Victim) bool
}

// plain is the way of today's kube-scheduler, which is the default (rule 13.1.1).
func plain() steps {
	return steps{
		eligible:     (*attempt).eligible,
		takesAnyway:  func(*unit) bool { return false },
		ageOf:        (*attempt).startOf,
		askedFirst:   (*attempt).nominatedSite,
		fits:         (*dryRun).fits,
		unasked:      neverFiltered,
		victims:      (*attempt).removeAndReprieve,
		takesFree:    func(*attempt, *site) bool { return false },
		spare:        spareNobody,
		charge:       (*attempt).charge,
		violations:   onePerPod,
		recharge:     func(_ *attempt, _ []*unit, violated charges) charges { return violated },
		readsTop:     func([]loss, *Score) {},
		shows:        func(victims []Victim) []Victim { return victims },
		compareFirst: func(*Candidate, *Candidate) (int, string) { return 0, "" },
		ranks:        DefaultRanks(),
		clears:       (*attempt).clearsForSomebody,
	}
}

// spareNobody lets all possible victims leave (rule 9.3).
func spareNobody(d *dryRun, possible []*unit) (*dryRun, []*unit, Status) {
	return d, possible, Status{}
}

// stepsOf are the steps of a configuration: those of its variant, with what it asks for beside that
// (rule 13.1.4).
func stepsOf(config *Config) steps {
	var s steps
	switch config.Variant {
	case outrank.VariantV1_13:
		s = v113()
	case outrank.VariantSimplified:
		s = simplified()
	default:
		s = plain()
	}

	ascending := config.Variant == outrank.VariantSimplified
	switch config.Budgets {
	case ChargeVictims:
		s = s.chargingVictims(ascending)
	case NeverViolate:
		s = s.strict(ascending)
	}
	switch rule := config.Victims.(type) {
	case Exact:
		return s.exact(config)
	case Chooser:
		return s.choosing(rule, config)
	}
	if config.Guard != nil {
		s = s.guarded(ascending)
	}
	return s
}

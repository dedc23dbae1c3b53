package preemption

// Decision is a *[Plan] or a *[GroupPlan]: what can be verified and applied. An *[Explanation] and
// an [AcrossPlan] stand for the plan in them.
type Decision interface {
	decision()
}

func (*Plan) decision() {}

func (*GroupPlan) decision() {}

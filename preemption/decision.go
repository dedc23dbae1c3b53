package preemption

// Decision is a *[Plan] or a *[GroupPlan]: what can be verified and applied. What embeds one of them
// is none.
type Decision interface {
	decision()
}

func (*Plan) decision() {}

func (*GroupPlan) decision() {}

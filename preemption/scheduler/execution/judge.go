package execution

// Verdict decides what the failure means for the pod, and changes nothing (group 15.1;
// handleSchedulingFailure, and the reference's schedulingCycle for the nomination):
//
//	failure                   reason          nomination
//	no nodes at all           Unschedulable   cleared; kept in v1.13
//	every node turned down    Unschedulable   set if a plan to preempt was executed;
//	                                          cleared if nothing helps, and without any way
//	                                          out (rule 15.1.6); kept if the pod may not
//	                                          preempt, preemption failed, extenders left no
//	                                          candidate (rule 8.12), or the pod was refused
//	                                          before its nodes (rule 15.3.9)
//	a step refused its node   Unschedulable   cleared
//	an error                  SchedulerError  cleared
//
// Members of a group that the plan nominates get the plan's nominations. Other members keep
// theirs if room is being made, or if the group may not preempt; they lose them if nothing helps. If executing
// the plan failed all members keep theirs, and after any other error all lose them.
//
// The error wraps [outrank.ErrInvalid] for a failure without a pod, without a reason or with several reasons,
// and [preemption.ErrState] for a plan that found a place or a refusal with the code Success. Time is linear in
// the reasons of the plan.
func (f *Failure) Verdict() (*Verdict, error) {
	if f == nil {
		return nil, errNoFailure
	}
	if f.Entry.Group != nil {
		g, err := f.ofGroup()
		if err != nil {
			return nil, err
		}
		v := g.verdict()
		return &v, nil
	}
	p, err := f.ofPod()
	if err != nil {
		return nil, err
	}
	v := p.verdict()
	return &v, nil
}

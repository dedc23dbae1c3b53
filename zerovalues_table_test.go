package outrank_test

import (
	"context"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	admitexplain "github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/history"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/preemptiontest/executiontest"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/execution/metrics"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// everyFunction are the functions of the public packages.
var everyFunction = []any{
	outrank.NewKey, outrank.ParseRelease, outrank.Priority, kube.ReadCluster, kube.ReadClusterWith, kube.ReadManifest, kube.ReadPod,
	outrank.Releases, kube.WriteCluster,
	resource.AddSat, resource.Amount, resource.MulSat, resource.MustList, resource.MustParse, resource.New, resource.NewBinary,
	resource.NewMilli, resource.Parse, resource.SubSat,
	priority.Compare, priority.CompareIdentity, priority.Critical, priority.NewTable, priority.Validate,
	qos.Compute, qos.Of,
	pdb.Fill, pdb.New, pdb.SameCoverage, pdb.StatusOf,
	preemption.DefaultRanks, execution.FirstWayOut, engine.New, engine.NewSnapshot,
	preemption.Explain, preemption.Preempt, preemption.PreemptGroup, preemption.Refuse,
	kubeletadmit.Admit, kubeletadmit.AdmitContext, kubeletadmit.Check, kubeletadmit.Critical, kubeletadmit.Evict,
	kubeletadmit.Preemptable, kubeletadmit.RankForEviction, kubeletadmit.Resolve,
	admitexplain.Admission, admitexplain.Ask,
	queue.CompareEntries, queue.Helps, queue.New, queue.NewFIFO,
	quota.Read, quota.Usage,
	clustergen.Benchmark, clustergen.Cluster, clustergen.Full, clustergen.Now, clustergen.Preemptor, clustergen.PreemptorGroup,
	execution.NewExecutor, execution.LogRecords,
	explain.Ask, explain.Group, explain.RankText, explain.Replacements, explain.RoomOn, explain.WhyNot,
	filtertest.Check, filtertest.CheckGuard, filtertest.Warnings,
	history.LineageOf, history.New,
	joint.NewMoves, joint.Outlooks, joint.Preempt, joint.RegretOf,
	schedulerconfig.Read, schedulerconfig.SpreadSelector,
	attempt.New, attempt.Permit, score.DefaultWeights, score.New,
	tenancy.Closest, tenancy.New, tenancy.NewTree,
}

// everyType has a pointer to the zero value of each type of the public packages.
var everyType = []any{
	new(outrank.Affinity), new(outrank.ClaimState), new(outrank.Cluster), new(outrank.CompositePodGroup),
	new(outrank.CompositePodGroupTemplate), new(outrank.ConditionStatus), new(outrank.Container), new(outrank.Disk),
	new(outrank.DiskKind), new(outrank.DisruptionMode), new(outrank.Event), new(outrank.EventType), new(outrank.GroupPolicy),
	new(outrank.InputError), new(outrank.IntOrPercent), new(outrank.Key), new(outrank.LabelSelector), new(outrank.Matcher),
	new(outrank.Namespace), new(outrank.Node), new(outrank.NodeImage), new(outrank.NodeInclusionPolicy), new(outrank.NodeRequirement),
	new(outrank.NodeSelector), new(outrank.NodeSelectorTerm), new(outrank.Operator), new(outrank.Owner), new(outrank.Phase),
	new(outrank.Pod), new(outrank.PodAffinityTerm), new(outrank.PodCondition), new(outrank.PodConditionType),
	new(outrank.PodDisruptionBudget), new(outrank.PodGroup), new(outrank.PodGroupTemplate), new(outrank.Port),
	new(outrank.PreemptionPolicy), new(outrank.Preferences), new(outrank.PreferredSchedulingTerm), new(outrank.PriorityClass), new(outrank.Problem), new(outrank.QOSClass), new(outrank.Release),
	new(outrank.Requirement), new(outrank.Taint), new(outrank.TaintEffect), new(outrank.Toleration), new(outrank.TolerationOperator),
	new(outrank.TopologySpreadConstraint), new(outrank.UnhealthyPodEvictionPolicy), new(outrank.UnsatisfiablePolicy),
	new(outrank.Variant), new(outrank.Volume), new(outrank.VolumeClaim), new(outrank.WeightedPodAffinityTerm), new(outrank.Workload),
	new(resource.Format), new(resource.List), new(resource.Name), new(resource.Quantity), new(resource.Requirements),
	new(priority.Resolution), new(priority.Table),
	new(pdb.BudgetStatus), new(pdb.Budgets), new(pdb.FillInput), new(pdb.Finder), new(pdb.Ledger), new(pdb.StatusInput),
	new(preemption.Across), new(preemption.Assignment), new(preemption.Budgets), new(preemption.Candidate),
	new(preemption.Certificate), new(engine.Changes), new(preemption.Chooser), new(preemption.ClusterState), new(preemption.Code), new(preemption.Config),
	new(preemption.Count), new(preemption.Eligibility), new(preemption.Exact), new(engine.Evaluator), new(preemption.Decision), new(preemption.Plan), new(preemption.Extender), new(preemption.Filter), new(preemption.Follower),
	new(preemption.FilterState), new(preemption.GroupPlan), new(preemption.GroupRequest),
	new(preemption.Guard), new(preemption.GuardState), new(preemption.Ineligibility),
	new(engine.Mark), new(preemption.NodeReport), new(preemption.NodeView), new(preemption.Outcome),
	new(preemption.Draft), new(preemption.PlaceFunc), new(preemption.Profile), new(preemption.VictimRule),
	new(preemption.Rank), new(preemption.Refusal),
	new(preemption.Request), new(preemption.Sample), new(preemption.Score),
	new(engine.Snapshot), new(preemption.Status), new(preemption.Tally[int]), new(preemption.Tracker),
	new(preemption.Victim), new(preemption.View),
	new(execution.WayOut),
	new(kubeletadmit.Admission), new(kubeletadmit.Certificate), new(kubeletadmit.Config),
	new(kubeletadmit.CheckFailure), new(kubeletadmit.Contribution), new(kubeletadmit.EvictedPod),
	new(kubeletadmit.KillResult), new(kubeletadmit.Kubelet), new(kubeletadmit.Outcome),
	new(kubeletadmit.Operation), new(kubeletadmit.PodStatus), new(kubeletadmit.Predicate), new(kubeletadmit.Pressure),
	new(kubeletadmit.RankedPod), new(kubeletadmit.ResourceNeed), new(kubeletadmit.TierCount),
	new(kubeletadmit.Usage),
	new(admitexplain.Failure), new(admitexplain.Kubelet),
	new(admitexplain.Label), new(admitexplain.List[int]), new(admitexplain.Pod), new(admitexplain.Port), new(admitexplain.Question), new(admitexplain.Report), new(admitexplain.Round),
	new(admitexplain.Tier),
	new(queue.Class), new(queue.ClusterEvent), new(queue.ClusterEventKind), new(queue.Config), new(queue.Parts[int]),
	new(queue.Entry), new(queue.Gate), new(queue.Group), new(queue.Incoming),
	new(queue.Queue), new(queue.Refusing), new(queue.StorageAction), new(queue.StorageChange), new(queue.StorageObject),
	new(quota.Admission), new(quota.Limited), new(quota.Pod), new(quota.Quota), new(quota.Requirement),
	new(quota.Scope), new(quota.Verdict),
	new(clustergen.Shape),
	new(attempt.Config), new(attempt.Loop), new(attempt.Outcome), new(attempt.Result),
	new(execution.Actions), new(metrics.Attempt), new(execution.PodReport), new(execution.Config),
	new(execution.Eviction),
	new(execution.Executor), new(execution.Failure), new(metrics.Histogram[int]),
	new(metrics.Family), new(metrics.Label), new(metrics.Sample),
	new(metrics.Values), new(metrics.Meter), new(execution.Nomination),
	new(execution.Nominator), new(execution.Order), new(metrics.PreemptionStep),
	new(execution.Report), new(execution.Result),
	new(execution.Verdict),
	new(executiontest.Call), new(executiontest.Recorder),
	new(explain.Answer), new(explain.Budget), new(explain.Choice), new(explain.Enough), new(explain.Eviction), new(explain.Fate), new(explain.GroupName), new(explain.GroupReport), new(explain.List[int]),
	new(explain.GroupVictim), new(explain.Label), new(explain.Leaving), new(explain.Nearest), new(explain.Neighbour),
	new(explain.NoPlace), new(explain.Nobody), new(explain.NodeAnswer), new(explain.NodeGroup), new(explain.NodeWord),
	new(explain.Nothing), new(explain.Obstacle), new(explain.Options), new(explain.Pod), new(explain.Port), new(explain.Question), new(explain.Replacement),
	new(explain.Report), new(explain.Contender), new(explain.Room), new(explain.Round),
	new(explain.Spared), new(explain.Spread), new(explain.Stage), new(explain.Stay), new(explain.Step), new(explain.Term), new(explain.Topology), new(explain.Trial),
	new(explain.Verdict), new(explain.Victim), new(explain.Volume), new(explain.Way),
	new(filtertest.Error), new(filtertest.Options), new(filtertest.Violation),
	new(history.Config), new(history.Cycle), new(history.Log), new(history.Recurrence),
	new(history.Preemption), new(history.Repeat), new(history.Summary),
	new(joint.Choice), new(joint.Fate), new(joint.Loss), new(joint.LossCosts), new(joint.Moves), new(joint.Outlook), new(joint.Placement), new(joint.Plan),
	new(joint.RankGap), new(joint.Regret), new(joint.Request), new(joint.Victim),
	new(schedulerconfig.Configuration), new(schedulerconfig.Profile), new(schedulerconfig.Workload),
	new(score.Column), new(score.Config), new(score.Point), new(score.Ranking), new(score.Scorer), new(score.Strategy), new(score.StrategyType),
	new(tenancy.Answer), new(tenancy.Classes), new(tenancy.Closeness), new(tenancy.Cohort), new(tenancy.Config), new(tenancy.Fair), new(tenancy.Options),
	new(tenancy.NumberLabel), new(tenancy.Policy), new(tenancy.PriorityIs), new(tenancy.Protection), new(tenancy.Queue), new(tenancy.Quota), new(tenancy.Request),
	new(tenancy.Rules), new(tenancy.Selection), new(tenancy.Selector), new(tenancy.Strategy),
	new(tenancy.Style), new(tenancy.Take), new(tenancy.Taken), new(tenancy.Tree), new(tenancy.Workload),
}

// sentinels are what errors wrap, by name: those of the library, and those of others that
// pass through it.
var sentinels = map[string]error{
	"library outrank.ErrInvalid": outrank.ErrInvalid, "library outrank.ErrSelector": outrank.ErrSelector,
	"library resource.ErrFormat": resource.ErrFormat, "library resource.ErrSyntax": resource.ErrSyntax,
	"library priority.ErrClass": priority.ErrClass, "library priority.ErrConflict": priority.ErrConflict,
	"library priority.ErrUnknownClass": priority.ErrUnknownClass, "library pdb.ErrBudget": pdb.ErrBudget,
	"library engine.ErrMark": engine.ErrMark, "library preemption.ErrNotFound": preemption.ErrNotFound,
	"library engine.ErrStale": engine.ErrStale, "library preemption.ErrState": preemption.ErrState,
	"library engine.ErrUnsound":      engine.ErrUnsound,
	"library queue.ErrNotInFlight":   queue.ErrNotInFlight,
	"library execution.ErrRetriable": execution.ErrRetriable,
	"of a context that ended":        context.Canceled,
	"of answers that JSON lacks":     errors.ErrUnsupported,
}

package release

// change is a row of the table of what changed between releases.
type change struct {
	// Rule is the name of the field of Rules, empty where both releases are decided
	// alike here.
	Rule string
	// Number is that of the rule in a RULES.md which says what holds from From on.
	Number string
	From   Release
	// Gate is the feature gate that switches the rule, empty for none.
	Gate string
	// Before and After say what was and what is.
	Before, After string
}

// changes are all of them, by release and then in the order of the chapters.
var changes = [...]change{
	{"RequestsBySource", "2.2.11", V1_37, "", "requests of a pod on a node: the largest of spec and status for each container, then the sum", "a sum by spec, by allocated and by in use, then the largest"},
	{"QOSNeedsPodLevelName", "3.12", V1_37, "PodLevelResourcesFixKubeletQOSClass", "pod-level resources decide the class even where they name nothing", "only where they name cpu, memory or huge pages"},
	{"QOSPerSet", "3.13", V1_37, "", "the class by the sums over the containers", "a class for each container, Burstable where they differ"},
	{"", "4.3.7", V1_37, "", "a missing start reads the clock at each comparison", "once for each pod; one answer for both here"},
	{"GroupClassPolicy", "4.4.2", V1_37, "PodGroupPreemptionPolicy", "a group has no policy of its class", "that policy is written into it"},
	{"CompositesResolved", "4.4.3", V1_37, "CompositePodGroup", "there are no groups of groups", "they are resolved as groups are"},
	{"FlushAsksGates", "5.2.7", V1_37, "", "time alone does not have gates asked", "they are asked when a pod has waited for the time-out, and again after each further one"},
	{"WildcardsAskGates", "5.2.8", V1_37, "", "a gate that names its events is asked at no other", "an event of the empty kind has every gate asked"},
	{"AnyAntiAffinityTerm", "5.4.13", V1_37, "", "a pod's end helps against anti-affinity where all terms match", "where any of them does"},
	{"UpdatesShared", "5.5.7", V1_37, "", "an update of a pod in flight may help that pod", "it may help all pods in flight"},
	{"PodEventsByKind", "5.7.3", V1_37, "", "what is told of a pod that waits is UnschedulablePod", "UnscheduledPod, and TargetPod of the pod itself"},
	{"GroupsQueued", "5.8.1", V1_37, "GenericWorkload", "each pod of a group is queued by itself", "a group is queued as one"},
	{"CompositesQueued", "5.8.2", V1_37, "CompositePodGroup", "a group is queued by itself", "a tree of groups is queued as one"},
	{"BudgetsStopAtFirst", "6.3.8", V1_37, "", "a pod is charged to every budget that covers it", "up to the first that it violates, in the caller's order"},
	{"NodeNameFirst", "7.1.7", V1_37, "", "NodeUnschedulable, then NodeName", "NodeName first, and no node but the named one is filtered (7.15.8)"},
	{"CSIDriverRequired", "7.9.9", V1_37, "VolumeLimitScaling", "a node without the driver of a volume passes", "it fails where the driver says that it has to be there"},
	{"NamespacesReplaceSelector", "7.13.19", V1_37, "", "a namespace selector that no labels satisfy selects all namespaces", "it selects those that it matches"},
	{"BindMountFeature", "7.14.6", V1_37, "", "two features that a pod can need", "a third for options of bind mounts"},
	{"GatedNominations", "7.16.5", V1_37, "", "nominations of gated pods do not count", "they count"},
	{"DeferredResizes", "7.19.1", V1_37, "InPlacePodVerticalScalingSchedulerPreemption", "a pod on a node is no preemptor", "one whose resize is deferred preempts on its node"},
	{"SuccessText", "11.11", V1_37, "", "a preemption that succeeds says nothing", "it says on which node and how many victims"},
	{"VictimUnits", "12.6.1", V1_37, "GenericWorkload", "one pod as preemptor counts each victim by itself, whatever its group", "victims leave in units, with the priority of their group"},
	{"CompositeUnits", "12.6.4", V1_37, "CompositePodGroup", "a group has no group above it", "the topmost group above counts where victims leave in units"},
	{"GroupsPreempt", "12.9.1", V1_37, "GenericWorkload", "pods of a group preempt one by one; alpha code for groups is not followed", "the group preempts as one"},
	{"GroupPolicyCounts", "12.9.6", V1_37, "PodGroupPreemptionPolicy", "the pods of a group say whether it may preempt", "the group says it"},
	{"GroupTopologies", "12.9.14", V1_37, "TopologyAwareWorkloadScheduling", "the topology of a group counts for nothing", "its pods are placed in one domain of it; an error here, unless the caller places them"},
	{"BindingsRetried", "14.1.13", V1_37, "", "a binding is tried once", "it is tried again like a patch, but for a conflict"},
	{"ActivateAfterMemory", "14.2.8", V1_37, "", "a preemptor is activated after failures alone", "also where its last victim was rejected while it waited"},
	{"VictimsAlwaysCounted", "14.5.8", V1_37, "", "no victims are counted where all are being deleted already", "they are counted"},
	{"EntityMetrics", "14.5.9", V1_37, "", "the queue counts pods", "also entities, and has the parts incomplete and pending"},
	{"TrueResults", "14.5.10", V1_37, "", "preemptions beside the next attempts always count as success", "they count with their result"},
	{"GroupMetrics", "14.5.11", V1_37, "GenericWorkload", "nothing is counted of groups", "preemptions by groups, and groups among the victims"},
	{"DevicesSilent", "15.3.8", V1_37, "", "a pod without claims is told that there are none to deallocate", "nothing is said of claims"},
	{"AddedNominations", "15.4.8", V1_37, "", "a gated pod that is added gets no nomination in memory", "it gets that of its status"},
	{"", "15.4.9", V1_37, "", "an empty nomination leaves an entry that nothing reads", "none; one answer for both here"},
	{"KubeletLeavesResizes", "17.4.8", V1_37, "InPlacePodVerticalScalingSchedulerPreemption", "a critical pod that is resized evicts pods as one that is added", "none: that is left to the scheduler"},
	{"", "18.9", V1_37, "", "the node's whole memory counts under pressure", "without its huge pages; when there is pressure is for the caller to say"},
	{"ImageVolumesCount", "27.8.3", V1_37, "", "images that are mounted as volumes only count in the sum of sizes", "also in the number of images that a node's score is divided by"},
}

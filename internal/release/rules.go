package release

// Rules are the differences between releases, sorted by the packages that they matter to. A rule is true if the
// release behaves in the new way, and false if it behaves in the old way. Each comment describes the new way
// and cites the rule by its number in a RULES.md. The table in the tests describes both ways.
type Rules struct {
	PodRules
	NodeRules
	GroupRules
	QueueRules
	ExecutionRules
}

// PodRules are about a pod's requests, its QoS class and priority, budgets, and evictions by the kubelet
// (chapters 2, 3, 4, 6 and 17).
type PodRules struct {
	// RequestsBySource: the requests of a pod on a node are summed for each source (spec and status)
	// separately, and the largest sum counts (rule 2.2.11).
	RequestsBySource bool
	// QOSNeedsPodLevelName: pod-level resources decide the class only if they name a resource that counts at
	// pod level (rule 3.12).
	QOSNeedsPodLevelName bool
	// QOSPerSet: the QoS class is decided for each set of resources (rule 3.13).
	QOSPerSet bool
	// GroupClassPolicy: a group takes the preemption policy of its priority class (rule 4.4.2).
	GroupClassPolicy bool
	// CompositesResolved: the priorities of composite groups are resolved, too (rule 4.4.3).
	CompositesResolved bool
	// BudgetsStopAtFirst: a pod is not charged to the budgets after the first one that it violates (rule
	// 6.3.8).
	BudgetsStopAtFirst bool
	// KubeletLeavesResizes: the kubelet evicts nobody for a resize (rule 17.4.8).
	KubeletLeavesResizes bool
}

// NodeRules are about which nodes take a pod, and how nodes are scored (chapters 7 and 27).
type NodeRules struct {
	// NodeNameFirst: NodeName is asked before NodeUnschedulable, and before the nodes, so that
	// only the named node is searched (rule 7.1.7).
	NodeNameFirst bool
	// NamespacesReplaceSelector: a namespace selector of the preemptor picks the
	// namespaces that it matches, and no others (rule 7.13.19).
	NamespacesReplaceSelector bool
	// BindMountFeature: options of bind mounts need a feature of the node (rule 7.14.6).
	BindMountFeature bool
	// DeferredResizes: a pod on a node whose resize is deferred may preempt there (group 7.19).
	DeferredResizes bool
	// GatedNominations: the nomination of a pod with scheduling gates counts (rule 7.16.5).
	GatedNominations bool
	// CSIDriverRequired: a node fails if it lacks a CSI driver that requires to be installed (rule
	// 7.9.9).
	CSIDriverRequired bool
	// ImageVolumesCount: a node's score is divided by the number of a pod's images, and images that are
	// mounted as volumes are counted among them (rule 27.8.3).
	ImageVolumesCount bool
}

// GroupRules are about which pods leave together, and which preempt together (chapter 12).
type GroupRules struct {
	// VictimUnits: victims leave in units, and a victim counts with the priority of its
	// group (rule 12.6.1).
	VictimUnits bool
	// CompositeUnits: a composite group may be a unit of victims (rule 12.6.4).
	CompositeUnits bool
	// GroupsPreempt: a group of pods may preempt as one (rule 12.9.1).
	GroupsPreempt bool
	// GroupPolicyCounts: the preemption policy of a group replaces the policies of its
	// pods (rule 12.9.6).
	GroupPolicyCounts bool
	// GroupTopologies: the pods of a group are placed in one domain of its topology (rule
	// 12.9.14).
	GroupTopologies bool
}

// QueueRules are about when a pod is tried again (chapter 5).
type QueueRules struct {
	// FlushAsksGates: the gates of a gated pod are asked again after it has waited for the
	// time-out, and then after each further time-out (rule 5.2.7).
	FlushAsksGates bool
	// WildcardsAskGates: an event of the empty kind may open every gate (rule 5.2.8).
	WildcardsAskGates bool
	// UpdatesShared: an update of a pod in flight counts for all pods in flight (rule
	// 5.5.7).
	UpdatesShared bool
	// PodEventsByKind: events about pods are named after three kinds of pods (rule 5.7.3).
	PodEventsByKind bool
	// AnyAntiAffinityTerm: the end of a pod may help another pod if it matched at least one of their
	// anti-affinity terms (rule 5.4.13).
	AnyAntiAffinityTerm bool
	// GroupsQueued: the pods of a group are queued as one (group 5.8).
	GroupsQueued bool
	// CompositesQueued: the pods of a tree of groups are queued as one (rule 5.8.2).
	CompositesQueued bool
}

// ExecutionRules are about what happens after a decision, and about texts and metrics (chapters 11, 14 and 15).
type ExecutionRules struct {
	// SuccessText: a preemption that finds victims has a text that says so (rule 11.11).
	SuccessText bool
	// DevicesSilent: the message about a pod without claims for devices does not mention claims (rule 15.3.8).
	DevicesSilent bool
	// ActivateAfterMemory: the preemptor is also activated if its last victim was waiting to be bound, and was
	// only rejected in memory (rule 14.2.8).
	ActivateAfterMemory bool
	// VictimsAlwaysCounted: the metric counts victims even if all of them are being deleted already (rule
	// 14.5.8).
	VictimsAlwaysCounted bool
	// BindingsRetried: a binding is tried again like a patch (rule 14.1.13).
	BindingsRetried bool
	// EntityMetrics: the metrics of the queue count entities, and have two more parts (rule 14.5.9).
	EntityMetrics bool
	// GroupMetrics: preemption by and of groups is counted (rule 14.5.11).
	GroupMetrics bool
	// TrueResults: the execution of a plan is counted with its true result (rule 14.5.10).
	TrueResults bool
	// AddedNominations: a pending pod that is added is nominated at once to the node that it names,
	// even if it has scheduling gates (rule 15.4.8).
	AddedNominations bool
}

// ofPlain are the rules of each release with its default gates.
var ofPlain = func() (rules [len(releases)]Rules) {
	for i, r := range releases {
		rules[i] = resolve(r)
	}
	return rules
}()

// Of returns the rules of a release, or the rules of the default release if it is not known. It allocates
// nothing, and computes nothing for a release with its default gates.
func Of(r Release) Rules {
	r = r.OrDefault()
	for i := range releases {
		if r == releases[i] {
			return ofPlain[i]
		}
	}

	if !r.Known() {
		r = Default
	}
	return resolve(r)
}

// resolve works out the rules of a known release. A rule that depends on a gate holds if the gate is on.
func resolve(r Release) Rules {
	// Some gates exist in v1.36, too, but what they control here came with v1.37.
	from37 := r.plain() >= V1_37

	return Rules{
		PodRules: PodRules{
			RequestsBySource:     from37,
			QOSNeedsPodLevelName: r.on("PodLevelResourcesFixKubeletQOSClass"),
			QOSPerSet:            from37,
			GroupClassPolicy:     from37 && r.on("PodGroupPreemptionPolicy"),
			CompositesResolved:   from37 && r.on("CompositePodGroup"),
			BudgetsStopAtFirst:   from37,
			KubeletLeavesResizes: from37 && r.on("InPlacePodVerticalScalingSchedulerPreemption"),
		},
		NodeRules: NodeRules{
			NodeNameFirst:             from37,
			NamespacesReplaceSelector: from37,
			BindMountFeature:          from37,
			DeferredResizes:           from37 && r.on("InPlacePodVerticalScalingSchedulerPreemption"),
			GatedNominations:          from37,
			CSIDriverRequired:         from37 && r.on("VolumeLimitScaling"),
			ImageVolumesCount:         from37,
		},
		GroupRules: GroupRules{
			VictimUnits:       from37 && r.on("GenericWorkload"),
			CompositeUnits:    from37 && r.on("CompositePodGroup"),
			GroupsPreempt:     from37 && r.on("GenericWorkload"),
			GroupPolicyCounts: from37 && r.on("PodGroupPreemptionPolicy"),
			GroupTopologies:   from37 && r.on("TopologyAwareWorkloadScheduling"),
		},
		QueueRules: QueueRules{
			FlushAsksGates:      from37,
			WildcardsAskGates:   from37,
			UpdatesShared:       from37,
			PodEventsByKind:     from37,
			AnyAntiAffinityTerm: from37,
			GroupsQueued:        from37 && r.on("GenericWorkload"),
			CompositesQueued:    from37 && r.on("CompositePodGroup"),
		},
		ExecutionRules: ExecutionRules{
			SuccessText:          from37,
			DevicesSilent:        from37,
			ActivateAfterMemory:  from37,
			VictimsAlwaysCounted: from37,
			BindingsRetried:      from37,
			EntityMetrics:        from37,
			GroupMetrics:         from37 && r.on("GenericWorkload"),
			TrueResults:          from37,
			AddedNominations:     from37,
		},
	}
}

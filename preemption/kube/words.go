package kube

import "github.com/outrank-go/outrank"

// The kinds of objects, as "kind" has them.
const (
	kindPod          = "Pod"
	kindNode         = "Node"
	kindBudget       = "PodDisruptionBudget"
	kindClass        = "PriorityClass"
	kindNamespace    = "Namespace"
	kindGroup        = "PodGroup"
	kindComposite    = "CompositePodGroup"
	kindWorkload     = "Workload"
	kindClaim        = "PersistentVolumeClaim"
	kindVolume       = "PersistentVolume"
	kindStorageClass = "StorageClass"
	kindCSINode      = "CSINode"
	kindCSIDriver    = "CSIDriver"
	kindStatus       = "Status"
)

// strictGroups is the supplementalGroupsPolicy that a node has to support.
const strictGroups = "Strict"

// restartsAlways is the restart policy of an init container that keeps running.
const restartsAlways = "Always"

// restartAllAction is the action of a restart policy rule that restarts every
// container of the pod.
const restartAllAction = "RestartAllContainers"

// Words of claims and classes.
const (
	oncePodMode = "ReadWriteOncePod"
	phaseLost   = "Lost"
	waitsForPod = "WaitForFirstConsumer"
	bindsAtOnce = "Immediate"
)

// The words that each field knows. The fields become a bool, so that an unknown word would go unnoticed.
var (
	groupsPolicies  = []string{"Merge", strictGroups}
	restartPolicies = []string{restartsAlways, "OnFailure", "Never"}
	restartActions  = []string{"Restart", restartAllAction}
	accessModes     = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", oncePodMode}
	bindingModes    = []string{bindsAtOnce, waitsForPod}
	// conditionStatuses are for groups alone: the conditions of a pod may have any status.
	conditionStatuses = []string{"True", "False", "Unknown"}
)

// zoneLabels are the labels of a volume that say where it is.
var zoneLabels = [...]string{outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel}

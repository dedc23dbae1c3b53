// Package proof answers: what always holds of a decision, whatever the cluster? It has a model of the decision of
// package preemption and of package kubeletadmit, in the language of Dafny, whose verifier has checked the theorems
// about it:
//
//   - Nobody of the preemptor's priority or above leaves (OnlyLowerPrioritiesLeave in victims.dfy).
//   - Nobody is lost: each pod of the node stays or is a victim (NobodyIsLost).
//   - The preemptor fits once the victims are gone (ThePodFits).
//   - If only some of the victims left, it would not fit (NoVictimCouldStay).
//   - The ranks with the order of the nodes last are a total order, and the best candidate is the only one that is
//     better than all others (RanksAreATotalOrder, TheBestIsUnique in ranks.dfy).
//   - What the kubelet chooses covers what is needed, and nobody of a tier leaves where all tiers before it
//     together would do (ChosenCoversNeeds, NoTierTooEarly in kubelet.dfy).
//
// ThePlan and WithoutNeed in preempt.dfy put those about a scheduler's decision together. Begin with words.dfy.
//
// A proof is about the model. That the model is what the book decides is held by cases: package dafny below carries
// out the same definitions that are proven, for a few thousand small clusters, and tests hold package preemption,
// its engine and kubeletadmit to the answers. These are kept in testdata, so that neither Dafny nor the model is
// needed to test the book. The model is carried out for a part of them in each run, and for all of them in the step
// proofs of .ci/run:
//
//	go run ./internal/proof/check              # verifies the proofs, and that errors in the model are rejected
//	go test ./internal/proof -all              # carries the model out for all kept cases
//	go test ./internal/proof -update           # draws the cases anew, and keeps the answers of the model
package proof

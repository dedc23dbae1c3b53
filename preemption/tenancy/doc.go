// Package tenancy has ready-made rules about who may take from whom where tenants share a
// cluster: what Kueue, YuniKorn and Nomad do, as rules of a configuration of package
// preemption.
package tenancy

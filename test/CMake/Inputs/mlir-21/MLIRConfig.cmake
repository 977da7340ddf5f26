# Never read: the version file beside it says no.

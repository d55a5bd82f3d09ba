"""Parts of density-based clustering, which the estimators share."""

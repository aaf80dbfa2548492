"""
Text
====

*Which words tell two kinds of text apart, and are they the words I want?* The texts are
installed already: the docstrings of SciPy and of scikit-learn, a paragraph each.
"""

import inspect

import pandas as pd
import scipy.signal
import scipy.stats
import sklearn.cluster
import sklearn.linear_model


def paragraphs(module):
    docs = [inspect.getdoc(getattr(module, name)) or "" for name in module.__all__]
    found = {part.strip() for doc in docs for part in doc.split("\n\n")}
    return sorted(part for part in found if 100 < len(part) < 1000)


texts = pd.Series(
    {
        "scipy": paragraphs(scipy.stats) + paragraphs(scipy.signal),
        "sklearn": paragraphs(sklearn.cluster) + paragraphs(sklearn.linear_model),
    }
).explode()
texts = texts.groupby(level=0).sample(600, random_state=0)
texts.groupby(level=0).first()

# %%
# A column for each word, nearly all zeros. The table stays sparse.
from sklearn.feature_extraction.text import TfidfVectorizer

from widemargin import KernelRFE


def best_words(texts, n=10):
    vectorizer = TfidfVectorizer(min_df=3)
    X, y = vectorizer.fit_transform(texts), texts.index
    print(
        f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / X.shape[0] / X.shape[1]:.1%} filled"
    )
    top = KernelRFE(random_state=0).fit(X, y).ranking_.argsort()[:n]
    share = {
        home: X[y == home][:, top].getnnz(axis=0) / (y == home).sum()
        for home in ("scipy", "sklearn")
    }
    return pd.DataFrame(share, vectorizer.get_feature_names_out()[top]).round(2)


# %%
# **Which words?** And in which share of the texts are they?
best_words(texts)

# %%
# **Are these the words I want?** A library's own name, in the code of its examples, gives the
# answer away. It is a leak, as in any table: leave out what would not be known, and ask again.
import matplotlib.pyplot as plt

leaks = "scipy|sklearn|scikit|>>>|import"
prose = texts[~texts.str.contains(leaks)]
best_words(prose).plot.barh(figsize=(6.4, 4.2)).invert_yaxis()
plt.xlabel("share of the texts")
plt.legend(frameon=False)
plt.tight_layout()
plt.show()

# %%
# **How many words are enough?** Words and their weights are chosen in the folds, on training
# texts only.
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline


def accuracy(select):
    chain = make_pipeline(TfidfVectorizer(min_df=3), select, LogisticRegression())
    return cross_val_score(chain, prose, prose.index, cv=3).mean()


sizes = [10, 40, 160]
pd.DataFrame(
    {
        "KernelRFE": [accuracy(KernelRFE(k, random_state=0)) for k in sizes],
        "chi²": [accuracy(SelectKBest(chi2, k=k)) for k in sizes],
    },
    index=pd.Index(sizes, name="words"),
).round(3)

# %%
# Where single words tell the kinds apart, as here, a score of single words does well, and
# sooner. ``KernelRFE`` also finds words that matter only together.
#
# **What next?** Any SciPy matrix will do, such as one-hot codes or tags. Large LIBSVM files
# stay sparse on the command line: ``widemargin rank words.svm -n 50``.

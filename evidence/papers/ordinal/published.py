"""Tables 1 to 8 of the paper, as printed."""

# Table 1: instances, features, classes.
TABLE_1 = {
    "Housing": (506, 13, 4),
    "Pasture": (36, 22, 3),
    "Cpu": (209, 7, 4),
    "Bankruptcy risk": (39, 12, 3),
    "Australian credit": (690, 15, 2),
    "Japan credit": (690, 14, 2),
    "German credit": (1000, 24, 2),
    "Wine quality": (1599, 11, 6),
    "Adult": (48842, 14, 2),
    "Wdbc": (569, 30, 2),
}
COLUMNS = (
    "ReliefF (1)",
    "O-ReliefF (1)",
    "ReliefF (2)",
    "O-ReliefF (2)",
    "Simba",
    "O-Simba",
    "all features",
)
# Tables 2 and 3: classification error (%) of the ranking tree.
ERROR = {
    "Housing": (35.2, 34.6, 35.2, 33.4, 34.4, 34.0, 35.8),
    "Pasture": (31.7, 21.7, 25.0, 26.7, 26.7, 21.7, 40.0),
    "Cpu": (29.2, 29.2, 29.2, 29.2, 29.2, 29.2, 32.0),
    "Bankruptcy risk": (22.5, 17.5, 25.0, 17.5, 25.0, 20.0, 41.8),
    "Australian credit": (22.9, 23.8, 31.0, 25.7, 41.0, 34.6, 44.5),
    "Japan credit": (14.5, 14.5, 14.5, 16.2, 14.5, 14.5, 17.7),
    "German credit": (28.3, 28.3, 29.7, 27.4, 27.9, 27.4, 29.1),
    "Wine quality": (43.6, 43.4, 43.6, 43.3, 43.5, 43.8, 43.6),
    "Adult": (19.8, 18.2, 19.8, 17.8, 19.0, 17.8, 20.8),
    "Wdbc": (7.9, 7.0, 7.7, 7.0, 6.5, 6.1, 8.1),
}
# Table 4: number of selected features.
COUNT = {
    "Housing": (10, 4, 10, 4, 5, 6),
    "Pasture": (17, 20, 8, 18, 14, 4),
    "Cpu": (2, 2, 2, 2, 2, 2),
    "Bankruptcy risk": (4, 2, 5, 2, 5, 3),
    "Australian credit": (6, 6, 6, 5, 3, 2),
    "Japan credit": (1, 1, 5, 8, 2, 3),
    "German credit": (18, 12, 19, 12, 11, 6),
    "Wine quality": (11, 10, 11, 10, 11, 11),
    "Adult": (12, 9, 3, 8, 10, 7),
    "Wdbc": (25, 9, 29, 4, 4, 5),
}
# Tables 5 and 6: rank loss (%) of the ranking tree.
LOSS = {
    "Housing": (39.7, 38.1, 39.3, 37.4, 38.1, 38.1, 40.5),
    "Pasture": (25.0, 23.3, 25.0, 38.3, 26.7, 21.7, 43.3),
    "Cpu": (31.6, 31.5, 31.6, 31.6, 31.6, 31.6, 33.5),
    "Bankruptcy risk": (27.5, 22.5, 30.0, 22.5, 30.0, 25.0, 46.8),
    "Australian credit": (22.9, 23.8, 31.0, 25.7, 41.0, 34.6, 44.5),
    "Japan credit": (14.5, 14.5, 14.5, 16.2, 14.5, 14.5, 17.7),
    "German credit": (28.3, 28.3, 29.7, 27.4, 27.9, 27.4, 29.1),
    "Wine quality": (47.0, 47.0, 47.0, 47.0, 47.0, 47.7, 47.0),
    "Adult": (19.8, 18.2, 19.8, 17.8, 19.0, 17.8, 20.8),
    "Wdbc": (7.9, 7.0, 7.7, 7.0, 6.5, 6.1, 8.1),
}
# Tables 7 and 8: F-measure (%) of C4.5.
F_MEASURE = {
    "Housing": (65.7, 66.2, 66.3, 66.9, 66.3, 67.0, 64.7),
    "Pasture": (69.4, 69.4, 69.4, 79.6, 76.7, 79.6, 66.8),
    "Cpu": (89.0, 92.3, 92.3, 92.3, 88.5, 93.3, 89.4),
    "Bankruptcy risk": (85.4, 89.2, 89.2, 89.2, 88.8, 89.2, 89.2),
    "Australian credit": (84.9, 85.6, 85.5, 85.5, 85.3, 85.5, 85.0),
    "Japan credit": (85.8, 85.9, 85.8, 85.8, 85.8, 86.1, 85.8),
    "German credit": (71.4, 71.8, 71.6, 72.2, 71.7, 72.3, 71.6),
    "Wine quality": (59.7, 58.3, 58.2, 58.9, 59.3, 59.3, 58.2),
    "Adult": (81.4, 83.2, 80.0, 82.5, 80.1, 82.5, 80.1),
    "Wdbc": (93.5, 94.7, 92.7, 95.1, 95.2, 95.1, 93.1),
}
PUBLISHED = {"error": ERROR, "loss": LOSS, "f": F_MEASURE}
